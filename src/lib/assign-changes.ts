import { isDeepStrictEqual } from 'node:util';

/**
 * Give `row` the wanted values and answer the names of the fields that differed before, in the words of the store
 * file (`min_subtotal_cents`): none means that there was nothing to do.
 */
export function assignChanges<Row extends object>(row: Row, wanted: Partial<Row>): string[] {
  const changed = Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(row[name as keyof Row], value));
  Object.assign(row, Object.fromEntries(changed));
  return changed.map(([name]) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
