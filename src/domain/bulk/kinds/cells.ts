import { invalidRequest } from '#src/lib/errors.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';
import { plainForms } from '#src/lib/typed-code.ts';
import type { Row } from '../import-kind.ts';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of an object without these. */
export function withoutFields(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** The cells of these columns that are not empty. */
export function filledCells(row: Row, columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap((name) => (row[name] ? [[name, row[name]]] : [])));
}

const whole = /^-?\d{1,15}$/;
/** With three digits after it, a comma may be one of thousands. */
const decimal = /^-?\d{1,15}(\.\d{1,15}|,\d{1,2})?$/;
/** The columns of what need not be whole. In any other, `2.000` may be two thousand, and `100.00` is a major unit. */
const decimalColumns = ['weight_oz', 'value', 'commission_percent', 'discount_percent'];

/**
 * The cells of these columns that are not empty, as numbers, also in full width or with the digits of another script.
 * What is no number stays a text, which is not valid.
 */
export function filledNumbers(row: Row, columns: readonly string[]): Record<string, number | string> {
  const cells = Object.entries(filledCells(row, columns));
  const numeralIn = (name: string) => (decimalColumns.includes(name) ? decimal : whole);
  return Object.fromEntries(
    cells.map(([name, cell]) => {
      const plain = plainForms(cell);
      return [name, numeralIn(name).test(plain) ? Number(plain.replace(',', '.')) : cell];
    }),
  );
}

/** A number as spreadsheets show one of more than eleven digits, and save it: the last of them are lost. */
const abbreviated = /^\d([.,]\d+)?E\+\d{2,}$/i;

/** Whether a spreadsheet has abbreviated what a cell identifies, such as `4.90123E+12`. */
export const isAbbreviated = (cell: string): boolean => abbreviated.test(cell.trim());

/** A cell with several values between commas or semicolons; undefined for an empty one. */
export function listIn(cell: string | undefined, separator = /[,;]/): string[] | undefined {
  const values = (cell ?? '')
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== '');
  return values.length > 0 ? values : undefined;
}

/** A spreadsheet saves `true` and `false` in its own language, also where an export had them in English. */
const truths = [
  ['true', 'false'],
  ['yes', 'no'],
  ['1', '0'],
  ['wahr', 'falsch'],
  ['vrai', 'faux'],
  ['vero', 'falso'],
  ['verdadero', 'falso'],
  ['verdadeiro', 'falso'],
  ['waar', 'onwaar'],
  ['sant', 'falskt'],
  ['sand', 'falsk'],
  ['sann', 'usann'],
  ['tosi', 'epätosi'],
  ['satt', 'ósatt'],
  ['prawda', 'fałsz'],
  ['pravda', 'nepravda'],
  ['igaz', 'hamis'],
  ['doğru', 'yanlış'],
  ['истина', 'ложь'],
] as const;
const flags = new Map(truths.flatMap((pair) => pair.map((text, index) => [normalizeText(text), index === 0] as const)));

/** A cell with a yes or no; undefined for an empty one. */
export function flagIn(cell: string | undefined): boolean | string | undefined {
  if (!cell) return undefined;
  return flags.get(normalizeText(cell)) ?? cell;
}

/** A cell with JSON. @throws DomainError `invalid_request` */
export function jsonIn(column: string, cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    throw invalidRequest(`${column} is not JSON.`, { path: `/${column}`, code: 'json', detail: 'is not JSON' });
  }
}

/** Without the fields that are undefined. */
export function definedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
