import { isDeepStrictEqual } from 'node:util';

import { formatDuration } from './duration.ts';

/**
 * Assign the wanted values to `row`.
 * @returns the names of the fields that changed, as in the store file (`min_subtotal_cents`, and `window` for `windowMs`)
 */
export function assignChanges<Row extends object>(row: Row, wanted: Partial<Row>): string[] {
  const changed = differing(row, wanted);
  Object.assign(row, Object.fromEntries(changed));
  return changed.map(([name]) => fieldOf(name));
}

/** What `assignChanges` would change, as its reader writes it: each field before and after, durations as `1h`. */
export function changedValues<Row extends object>(row: Row, wanted: Partial<Row>): Record<string, [unknown, unknown]> {
  return Object.fromEntries(
    differing(row, wanted).map(([name, after]) => {
      const isDuration = name.endsWith('Ms');
      const written = (value: unknown): unknown => (isDuration ? asDuration(value) : value);
      return [fieldOf(name), [written(row[name as keyof Row]), written(after)]];
    }),
  );
}

const differing = <Row extends object>(row: Row, wanted: Partial<Row>): [string, unknown][] =>
  Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(row[name as keyof Row], value));

const fieldOf = (name: string): string =>
  name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function asDuration(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asDuration);
  return typeof value === 'number' ? formatDuration(value) : value;
}
