import { stringify } from 'csv-stringify/sync';

/** Begins a file: without it Excel reads Windows-1252. Importing removes it. */
export const byteOrderMark = '\ufeff';

/** A spreadsheet would run a text that begins so as a formula; or it would, but for apostrophes. */
const formulaStart = /^'*[=+\-@\t\r]/;

/** Rows as CSV. Such a text gets an apostrophe, or another one, which importing removes. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return stringify([...rows] as unknown[][], {
    record_delimiter: 'windows',
    cast: {
      string: (text) => (formulaStart.test(text) ? `'${text}` : text),
      boolean: String,
      date: (date) => date.toISOString(),
      object: (value) => JSON.stringify(value),
    },
  });
}

/** A cell as it was before `csvOf`. */
export function cellOf(text: string): string {
  return text.startsWith("'") && formulaStart.test(text.slice(1)) ? text.slice(1) : text;
}
