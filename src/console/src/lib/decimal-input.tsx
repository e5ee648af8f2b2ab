import type { ReactNode } from 'react';
import { minValue, NumberInput, type NumberInputProps, type Validator } from 'react-admin';

import { requirementOf } from './inputs.tsx';
import { readDecimal } from './read-decimal.ts';

interface DecimalInputProps extends NumberInputProps {
  /** How many there may be; none by default. */
  readonly decimals?: number;
  /** What a written 1 is in the form. */
  readonly unit?: number;
  /** How many are shown, by default as many as there are. */
  readonly written?: Intl.NumberFormatOptions;
  /** The least that the form may have. */
  readonly min?: number;
  /** What may stand before or after the number, as `$` where it was copied from a page. */
  readonly signs?: readonly string[];
  readonly validate?: Validator | Validator[];
}

/** A number as people write it. A browser's own number input drops a comma, and so makes 1250 of 12,50. */
export function DecimalInput(given: DecimalInputProps): ReactNode {
  const { decimals = 0, unit = 1, written, min, signs = [], validate = [], ...props } = given;
  const write = new Intl.NumberFormat(undefined, {
    maximumFractionDigits: decimals,
    ...written,
    useGrouping: false,
  });
  const isNumber = (value: unknown) =>
    typeof value === 'string' ? `Write it like ${write.format(decimals > 0 ? 12.5 : 12)}.` : undefined;
  const least = min === undefined ? [] : [minValue(min, `At least ${write.format(min / unit)}.`)];
  // The keyboards that phones have for numbers may lack a minus.
  const inputMode = min === undefined || min < 0 ? 'text' : decimals > 0 ? 'decimal' : 'numeric';
  return (
    <NumberInput
      {...props}
      slotProps={{ htmlInput: { type: 'text', inputMode, ...requirementOf(validate) } }}
      format={(value: number | string | null | undefined) =>
        typeof value === 'number' ? write.format(value / unit) : (value ?? '')
      }
      parse={(text: string) => {
        if (text.trim() === '') return null;
        const number = readDecimal(text, decimals, signs);
        return number === undefined ? text : Math.round(number * unit * 1e6) / 1e6;
      }}
      validate={[isNumber, ...least, validate].flat()}
    />
  );
}
