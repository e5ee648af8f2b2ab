import type { ComponentProps, ReactNode } from 'react';

import { chargeStepOf, decimalsOf, writtenDecimals } from '../../../lib/currency.ts';
import { DecimalInput } from './decimal-input.tsx';
import { signsOf } from './format.ts';

/** An amount as people write it. The form has it in minor units. */
export function MoneyInput({
  currency,
  label,
  ...props
}: ComponentProps<typeof DecimalInput> & { readonly currency: string }): ReactNode {
  const unit = 10 ** decimalsOf(currency);
  const hasFraction = chargeStepOf(currency) < unit;
  return (
    <DecimalInput
      min={0}
      {...props}
      label={`${String(label)} (${currency})`}
      decimals={hasFraction ? decimalsOf(currency) : 0}
      unit={unit}
      written={writtenDecimals(currency)}
      signs={signsOf(currency)}
    />
  );
}
