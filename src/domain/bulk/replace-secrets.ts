import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { checkCells, checkColumns } from './columns.ts';
import { csvOf } from './csv.ts';
import type { ImportKind } from './import-kind.ts';
import { tableOf } from './kinds/index.ts';
import { parseLine, readHeader, readLines, readTable } from './read-rows.ts';

interface SecretFile {
  readonly kind: ImportKind;
  readonly format: string;
  readonly secret: NonNullable<ImportKind['secret']>;
}

/**
 * A file in which each secret is replaced, row by row. What might hold a secret in another place is rejected, so that
 * none is ever stored: a column that is missing, a row with more cells, a line that is not JSON.
 * @throws DomainError `invalid_request`
 */
export async function* replaceSecrets(
  ctx: Context,
  { kind, format, secret }: SecretFile,
  text: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  const table = tableOf({ kind: kind.name, format });
  const rows = table ? replaceCells(table, secret.column) : replaceFields(secret.column);
  for await (const piece of rows(text, (written) => secret.replace(ctx, written))) yield Buffer.from(piece);
}

type Replacer = (text: AsyncIterable<Buffer>, replace: (secret: string) => string) => AsyncIterable<string>;

const replaceFields = (field: string): Replacer =>
  async function* (text, replace) {
    let row = 0;
    for await (const { cells } of readLines(text)) {
      row += 1;
      const value = inRow(row, () => parseLine(cells[0] ?? ''));
      if (typeof value !== 'object' || value === null) throw invalidRequest(`Row ${row}: The line is no object.`);
      const secret = (value as Record<string, unknown>)[field];
      if (typeof secret !== 'string') throw invalidRequest(`Row ${row}: ${field} must be a text.`);
      yield `${JSON.stringify({ ...value, [field]: replace(secret) })}\n`;
    }
  };

const replaceCells = (table: Parameters<typeof checkColumns>[0], column: string): Replacer =>
  async function* (text, replace) {
    const { beginning, rest } = await splitHeader(text);
    const { columns, separator, endsAt } = readHeader(beginning);
    checkColumns(table, columns);
    const position = columns.indexOf(column);
    yield csvOf([columns]);
    let row = 1;
    const following = continued(beginning.subarray(endsAt), rest);
    for await (const { cells } of readTable(following, { separator, firstRow: row + 1 })) {
      row += 1;
      inRow(row, () => checkCells(cells, columns));
      yield csvOf([cells.with(position, replace(cells[position]?.trim() ?? ''))]);
    }
  };

function inRow<Result>(row: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof DomainError ? invalidRequest(`Row ${row}: ${error.message}`) : error;
  }
}

const headerBytesMax = 64 * 1024;

/** The first pieces of a file, which have its first line, and an iterator of the others. */
async function splitHeader(text: AsyncIterable<Buffer>): Promise<{ beginning: Buffer; rest: AsyncIterator<Buffer> }> {
  const rest = text[Symbol.asyncIterator]();
  let beginning: Buffer = Buffer.alloc(0);
  while (!beginning.includes('\n') && beginning.length < headerBytesMax) {
    const { value, done } = await rest.next();
    if (done) break;
    beginning = Buffer.concat([beginning, value]);
  }
  return { beginning, rest };
}

async function* continued(first: Buffer, rest: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  yield first;
  for (;;) {
    const { value, done } = await rest.next();
    if (done) return;
    yield value;
  }
}
