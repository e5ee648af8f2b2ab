import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { checkCells, columnsNamed, problemColumns } from './columns.ts';
import { cellOf, csvOf } from './csv.ts';
import type { ImportKind, TableFormat } from './import-kind.ts';
import { tableOf } from './kinds/index.ts';
import { hasHeader, parseLine, readHeader, readLines, readTable } from './read-rows.ts';

/**
 * A file in which each secret is replaced, row by row, so that none is ever stored. What might hold one in a place that
 * has no name is rejected by a message that repeats nothing of it: another column, a row with more cells, a line that
 * is not JSON.
 * @throws DomainError `invalid_request`
 */
export async function* replaceSecrets(
  ctx: Context,
  { kind, format }: { kind: ImportKind; format: string },
  text: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  const table = tableOf({ kind: kind.name, format });
  const rows = table ? replaceCells(table, text, replace) : replaceFields(text, replace);
  for await (const piece of rows) yield Buffer.from(piece);

  function replace(row: Row): Row {
    return kind.replaceSecrets?.(ctx, row) ?? row;
  }
}

type Row = Readonly<Record<string, unknown>>;
type Replace = (row: Row) => Row;

async function* replaceFields(text: AsyncIterable<Buffer>, replace: Replace): AsyncIterable<string> {
  let rowBefore = 0;
  for await (const { row, cells } of readLines(text, { firstRow: 1 })) {
    const replaced = inRow(row, () => {
      const value = parseLine(cells[0] ?? '');
      if (typeof value !== 'object' || value === null) throw invalidRequest('The line is no object.');
      return replace(value as Row);
    });
    yield `${'\n'.repeat(row - rowBefore - 1)}${JSON.stringify(replaced)}\n`;
    rowBefore = row;
  }
}

async function* replaceCells(table: TableFormat, text: AsyncIterable<Buffer>, replace: Replace): AsyncIterable<string> {
  const { beginning, rest } = await splitHeader(text);
  const { columns: header, separator, endsAt } = readHeader(beginning);
  const columns = columnsIn(table, header);
  const read = columns.filter((name) => !problemColumns.some((other) => other === name));
  yield csvOf([read]);
  let rowBefore = 1;
  const following = continued(beginning.subarray(endsAt), rest);
  for await (const { row, cells } of readTable(following, { separator, firstRow: rowBefore + 1 })) {
    inRow(row, () => checkCells(cells, columns));
    const replaced = replace(
      Object.fromEntries(read.map((name) => [name, cellOf(cells[columns.indexOf(name)]?.trim() ?? '')])),
    );
    yield '\r\n'.repeat(row - rowBefore - 1) + csvOf([read.map((name) => replaced[name])]);
    rowBefore = row;
  }
}

/** A file without a header begins with a row, whose secret no message may repeat. */
function columnsIn(table: TableFormat, header: readonly string[]): readonly string[] {
  try {
    return columnsNamed(table, header);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw invalidRequest(
      `The file must begin with a header that has the columns ${table.required.join(' and ')} only.`,
    );
  }
}

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
  while (!hasHeader(beginning) && beginning.length < headerBytesMax) {
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
