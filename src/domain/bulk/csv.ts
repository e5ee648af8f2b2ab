import { stringify } from 'csv-stringify/sync';

/** Begins a file: without it Excel reads Windows-1252. Importing removes it. */
export const byteOrderMark = '\ufeff';

/**
 * What a spreadsheet would run as a formula, or would, but for apostrophes, at the beginning of a text. Where a comma is
 * the decimal sign, it separates cells by semicolons. So it also divides a text at those, and at its line breaks, because
 * a quote counts at the beginning of a cell only. Numbers, and Excel in Japanese, also take characters in full width.
 */
const formulas = /(?:^|(?<=[;\r\n]))'*\t*[=+\-@＝＋－＠]|^'*[\t\r]/g;

type Replace = (found: string, offset: number) => string;

const addApostrophe = (found: string): string => `'${found}`;
const removeApostrophe = (found: string): string => (found.startsWith("'") ? found.slice(1) : found);
/** Only at the beginning of a text. */
const atBeginning =
  (replace: (found: string) => string): Replace =>
  (found, offset) =>
    offset === 0 ? replace(found) : found;

/** Rows as CSV. Where a formula would begin, a text gets an apostrophe, or another one, which importing removes. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return write(rows, addApostrophe);
}

/** Rows for a program that reads commas only, which does not remove apostrophes: a text gets one at its beginning. */
export function csvForPrograms(rows: readonly (readonly unknown[])[]): string {
  return write(rows, atBeginning(addApostrophe));
}

function write(rows: readonly (readonly unknown[])[], replace: Replace): string {
  const harmless = (text: string) => text.replace(formulas, replace);
  return stringify([...rows] as unknown[][], {
    record_delimiter: 'windows',
    // Every reader ends a row at a line break of either kind; the library quotes only its own.
    quoted_match: /[\r\n]/,
    cast: {
      string: harmless,
      boolean: String,
      date: (date) => date.toISOString(),
      object: (value) => harmless(JSON.stringify(value)),
    },
  });
}

/** A cell as it was before `csvOf`. */
export function cellOf(text: string): string {
  return text.replace(formulas, removeApostrophe);
}

/** A cell as it was before `csvForPrograms`, or as another program wrote it. */
export function cellOfProgram(text: string): string {
  return text.replace(formulas, atBeginning(removeApostrophe));
}
