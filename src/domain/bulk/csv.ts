import { stringify } from 'csv-stringify/sync';

/** Begins a file: without it Excel reads Windows-1252. Importing removes it. */
export const byteOrderMark = '\ufeff';

/**
 * A spreadsheet would run a text that begins so as a formula; or it would, but for apostrophes. Numbers, and Excel in
 * Japanese, also take these characters in full width.
 */
const formulaStart = /^(?='*[=+\-@＝＋－＠\t\r])/;

/**
 * Where a comma is the decimal sign, a spreadsheet separates cells by semicolons. So it also divides a text at those,
 * and at its line breaks, because a quote counts at the beginning of a cell only.
 */
const formulaStarts = /^(?='*[=+\-@＝＋－＠\t\r])|(?<=[;\r\n])(?='*\t*[=+\-@＝＋－＠])/g;

/** An apostrophe that one of those put there. */
const apostrophes = /^'(?='*[=+\-@＝＋－＠\t\r])|(?<=[;\r\n])'(?='*\t*[=+\-@＝＋－＠])/g;

/** The apostrophe at the beginning of a text, which a file for programs has. */
const firstApostrophe = /^'(?='*[=+\-@＝＋－＠\t\r])/;

/** Rows as CSV. Where a formula would begin, a text gets an apostrophe, or another one, which importing removes. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return write(rows, formulaStarts);
}

/** Rows for a program that reads commas only, which does not remove apostrophes: a text gets one at its beginning. */
export function csvForPrograms(rows: readonly (readonly unknown[])[]): string {
  return write(rows, formulaStart);
}

function write(rows: readonly (readonly unknown[])[], starts: RegExp): string {
  const harmless = (text: string) => text.replace(starts, "'");
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
  return text.replace(apostrophes, '');
}

/** A cell as it was before `csvForPrograms`, or as another program wrote it. */
export function cellOfProgram(text: string): string {
  return text.replace(firstApostrophe, '');
}
