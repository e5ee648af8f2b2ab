import type { ComponentProps, ReactNode } from 'react';

import { chargeStepOf, decimalsOf, writtenDecimals } from '../../../lib/currency.ts';
import { useCurrency } from '../session/session.ts';
import { DecimalInput } from './decimal-input.tsx';
import { signsOf } from './format.ts';

interface Props extends ComponentProps<typeof DecimalInput> {
  /** By default that of the store. */
  readonly currency?: string;
}

/** An amount as people write it. The form has it in minor units. */
export function MoneyInput({ currency: given, label, ...props }: Props): ReactNode {
  const own = useCurrency();
  const currency = given ?? own;
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
