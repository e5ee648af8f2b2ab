import { formatMoney } from './format.ts';
import { nameOfField } from './name-of-field.ts';

/** A field in which two versions differ, as people read it. */
export interface Difference {
  readonly field: string;
  readonly theirs: string;
  readonly mine: string;
}

/**
 * The fields in which two versions differ.
 * @param currency of their amounts
 */
export function differencesOf(
  theirs: unknown,
  mine: unknown,
  currency: string | undefined,
  path: readonly string[] = [],
): Difference[] {
  if (hasParts(theirs) || hasParts(mine)) {
    const [left, right] = [partsOf(theirs), partsOf(mine)];
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
      differencesOf(left[name], right[name], currency, [...path, name]),
    );
  }
  const shown = (value: unknown) => describe(value, path.at(-1)?.endsWith('_cents') ? currency : undefined);
  const difference = { field: nameOfField(path, currency), theirs: shown(theirs), mine: shown(mine) };
  return difference.theirs === difference.mine ? [] : [difference];
}

/** A list of texts, such as tags, is read as one. */
const hasParts = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(Array.isArray(value) && value.every((item) => Object(item) !== item));

const partsOf = (value: unknown): Record<string, unknown> => ({ ...Object(value ?? {}) });

function describe(value: unknown, currency: string | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && currency !== undefined) return formatMoney(value, currency);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
