import type { ComponentProps, ReactNode } from 'react';

import { DecimalInput } from './decimal-input.tsx';
import { decimalsOf, signsOf } from './format.ts';

/** An amount as people write it. The form has it in minor units. */
export function MoneyInput({
  currency,
  label,
  ...props
}: ComponentProps<typeof DecimalInput> & { readonly currency: string }): ReactNode {
  const decimals = decimalsOf(currency);
  return (
    <DecimalInput
      min={0}
      {...props}
      label={`${String(label)} (${currency})`}
      decimals={decimals}
      unit={10 ** decimals}
      signs={signsOf(currency)}
    />
  );
}
