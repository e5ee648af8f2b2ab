import { isDeepStrictEqual } from 'node:util';

import { formatDuration } from './duration.ts';

/**
 * Assign the wanted values to `row`.
 * @returns each field that changed with its value before and after, as in the store file: `min_subtotal_cents` in
 *   cents, and `window` as `1h` for `windowMs`
 */
export function assignChanges<Row extends object>(row: Row, wanted: Partial<Row>): Record<string, [unknown, unknown]> {
  const changed = Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(row[name as keyof Row], value));
  const values = changed.map(([name, after]): [string, [unknown, unknown]] => {
    const written = (value: unknown): unknown => (name.endsWith('Ms') ? asDuration(value) : value);
    return [fieldOf(name), [written(row[name as keyof Row]), written(after)]];
  });
  Object.assign(row, Object.fromEntries(changed));
  return Object.fromEntries(values);
}

const fieldOf = (name: string): string =>
  name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function asDuration(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asDuration);
  return typeof value === 'number' ? formatDuration(value) : value;
}
