import { Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { composed, parseComposedJson } from '#src/lib/composed.ts';
import { invalidRequest } from '#src/lib/errors.ts';

/** A row of a file that is not empty, and where it ends, counted from where reading began. */
export interface FileRow {
  /** As a spreadsheet counts it, which shows empty rows, too. */
  readonly row: number;
  readonly cells: readonly string[];
  readonly endsAt: number;
}

/** What a row may have at most. */
export const rowBytesMax = 1024 * 1024;

const separators = [',', ';', '\t'];

/** A first line that tells Excel the character between the cells. */
const separatorLine = /^sep=([^\w\s"]|\t)\r?\n/i;

/** Whether a table's first line is complete, after the one that names the separator where there is one. */
export function hasHeader(beginning: Buffer): boolean {
  const text = beginning.toString('utf8');
  return text.replace(separatorLine, '').includes('\n');
}

/**
 * The columns of a table, and the character between its cells: the one that is named above them, or that their line has
 * most of. Columns without a name at the end are left out: a spreadsheet writes them for cells that were emptied.
 */
export function readHeader(beginning: Buffer): { columns: string[]; separator: string; endsAt: number } {
  const text = beginning.toString('utf8');
  const [above = '', named] = separatorLine.exec(text) ?? [];
  const [line = ''] = text.slice(above.length).split('\n', 1);
  const count = (separator: string) => line.split(separator).length;
  const separator = named ?? separators.toSorted((left, right) => count(right) - count(left))[0] ?? ',';
  const startsAt = Buffer.byteLength(above);
  try {
    const options = { ...optionsOf(separator), to: 1 };
    const [header] = parseAtOnce(beginning.subarray(startsAt), options) as unknown as ParsedRow[];
    const names = (header?.record ?? []).map((name) => composed(name).trim());
    return {
      columns: names.slice(0, names.findLastIndex((name) => name !== '') + 1),
      separator,
      endsAt: startsAt + (header?.info.bytes ?? 0),
    };
  } catch (error) {
    throw unreadable(error);
  }
}

interface ParsedRow {
  readonly record: string[];
  readonly info: Counts & { readonly bytes: number };
}

/** What the parser has counted: rows, and lines without anything. */
interface Counts {
  readonly records: number;
  readonly empty_lines: number;
}

/** How many cells a row has is checked where it is imported, so that one wrong row does not reject the file. */
const optionsOf = (separator: string) =>
  ({
    delimiter: separator,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowBytesMax,
  }) as const;

/** Excel writes rows that were emptied as separators. The parser drops them: each that it emits takes much longer. */
const isEmpty = ({ record }: ParsedRow): boolean => record.every((cell) => cell.trim() === '');

/**
 * The rows of a table from here on, where the row `firstRow` begins.
 * @throws DomainError `invalid_request` where a quote is not closed, or a row is too long
 */
export async function* readTable(
  text: AsyncIterable<Buffer>,
  { separator, firstRow }: { separator: string; firstRow: number },
): AsyncIterable<FileRow> {
  const source = Readable.from(text);
  const parser = parse({
    ...optionsOf(separator),
    // With `info` it is given more than its type says.
    on_record: (row) => (isEmpty(row as unknown as ParsedRow) ? null : row),
  });
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<ParsedRow>) {
      yield { row: firstRow + rowsIn(info) - 1, cells: record.map(composed), endsAt: info.bytes };
    }
  } catch (error) {
    throw unreadable(error, firstRow);
  } finally {
    source.destroy();
  }
}

/** The lines of a file from here on, where the line `firstRow` begins. */
export async function* readLines(
  text: AsyncIterable<Buffer>,
  { firstRow }: { firstRow: number },
): AsyncIterable<FileRow> {
  let rest: Buffer = Buffer.alloc(0);
  let [row, endsAt] = [firstRow, 0];
  for await (const chunk of text) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      endsAt += end + 1;
      yield* filled(row, rest.subarray(0, end), endsAt);
      row += 1;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > rowBytesMax) throw invalidRequest(`A line has more than ${rowBytesMax} bytes.`);
  }
  yield* filled(row, rest, endsAt + rest.length);
}

/** @throws DomainError `invalid_request` */
export function parseLine(line: string): unknown {
  try {
    return parseComposedJson(line);
  } catch {
    throw invalidRequest('The line is not JSON.');
  }
}

function* filled(row: number, line: Buffer, endsAt: number): Iterable<FileRow> {
  const text = line.toString('utf8').trim();
  if (text !== '') yield { row, cells: [text], endsAt };
}

const explanations: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'The file ends inside a quoted cell: it is incomplete, or a quote is not closed.',
  CSV_MAX_RECORD_SIZE: `A row has more than ${rowBytesMax} bytes.`,
  CSV_INVALID_CLOSING_QUOTE: 'A quoted cell goes on after its closing quote. Write a quote inside a cell twice.',
  INVALID_OPENING_QUOTE: 'A cell that does not begin with a quote contains one. Quote the whole cell.',
};

/** Any other error is not the parser's. */
function unreadable(error: unknown, firstRow = 1): unknown {
  const { code = '', records = 0, empty_lines = 0 } = error as Partial<CsvError & Counts>;
  const explanation = explanations[code];
  return explanation ? invalidRequest(`Row ${firstRow + rowsIn({ records, empty_lines })}: ${explanation}`) : error;
}

const rowsIn = ({ records, empty_lines: emptyLines }: Counts): number => records + emptyLines;
