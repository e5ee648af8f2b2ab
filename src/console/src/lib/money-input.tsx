import type { ReactNode } from 'react';
import { NumberInput, type NumberInputProps } from 'react-admin';

import { decimalsOf } from './format.ts';

/** An amount as people write it. The form has it in minor units. */
export function MoneyInput({ currency, label, ...props }: NumberInputProps & { readonly currency: string }): ReactNode {
  const unit = 10 ** decimalsOf(currency);
  return (
    <NumberInput
      {...props}
      label={`${String(label)} (${currency})`}
      step={1 / unit}
      min={0}
      format={(cents: number | '' | null | undefined) => (typeof cents === 'number' ? cents / unit : '')}
      parse={(text) => (text === '' || text === null ? null : Math.round(Number(text) * unit))}
    />
  );
}
