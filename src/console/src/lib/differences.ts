import { formatMoney, formatTime } from './format.ts';
import { type LabelOf, nameOfField } from './name-of-field.ts';

/** A field in which two versions differ, as people read it. */
export interface Difference {
  readonly field: string;
  readonly theirs: string;
  readonly mine: string;
}

/**
 * The fields in which two versions differ.
 * @param currency of their amounts
 * @param labelOf of the form in which they are edited
 */
export function differencesOf(
  theirs: unknown,
  mine: unknown,
  currency: string | undefined,
  labelOf?: LabelOf,
  path: readonly string[] = [],
): Difference[] {
  if (hasParts(theirs) || hasParts(mine)) {
    const [left, right] = [partsOf(theirs), partsOf(mine)];
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
      differencesOf(left[name], right[name], currency, labelOf, [...path, name]),
    );
  }
  const shown = (value: unknown) => describe(value, path.at(-1) ?? '', currency);
  const difference = { field: nameOfField(path, currency, labelOf), theirs: shown(theirs), mine: shown(mine) };
  return difference.theirs === difference.mine ? [] : [difference];
}

/** The fields that were edited since the form began with `base`: others stay as another member may have saved them. */
export function changesOf<Input extends object>(base: Partial<Input>, mine: Input): Partial<Input> {
  const written = (value: unknown) => JSON.stringify(value ?? '');
  const fields = Object.keys(mine) as (keyof Input)[];
  const edited = fields.filter((field) => written(mine[field]) !== written(base[field]));
  return Object.fromEntries(edited.map((field) => [field, mine[field]])) as Partial<Input>;
}

/** A list of texts, such as tags, is read as one. */
const hasParts = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(Array.isArray(value) && value.every((item) => Object(item) !== item));

/** An id says nothing to people. */
function partsOf(value: unknown): Record<string, unknown> {
  const { id: _, ...parts } = Object(value ?? {});
  return parts;
}

function describe(value: unknown, field: string, currency: string | undefined): string {
  if (value === null || value === undefined || value === '') return '';
  if (field.endsWith('_cents') && typeof value === 'number' && currency !== undefined)
    return formatMoney(value, currency);
  if (field.endsWith('_at') && typeof value === 'string') return formatTime(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
