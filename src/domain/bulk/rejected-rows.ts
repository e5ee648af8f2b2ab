import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { problemColumns } from './columns.ts';
import { byteOrderMark, csvOf } from './csv.ts';
import type { Operation } from './operation.ts';

const pageRows = 500;

export interface RejectedRow {
  readonly row: number;
  readonly cells: readonly string[];
  /** Empty where the row before, which belongs to the same thing, says it. */
  readonly problem: string;
}

/**
 * The rejected rows of an import as CSV, as they were received, with the row's number in the file and what is wrong.
 * They can be corrected and imported again: those two columns are not read. Of a bulk change, the ids.
 */
export async function* rejectedRowsCsv(ctx: Context, { id, type, columns }: Operation): AsyncIterable<string> {
  const all = type === 'import' ? (columns ?? []) : ['id'];
  const own = all.filter((name) => !problemColumns.some((other) => other === name));
  const indexes = own.map((name) => all.indexOf(name));
  yield byteOrderMark + csvOf([[...own, ...(type === 'import' ? problemColumns : ['row', 'problem'])]]);
  for await (const rows of rejectedRows(ctx, { id })) {
    yield csvOf(rows.map(({ row, cells, problem }) => [...indexes.map((index) => cells[index] ?? ''), row, problem]));
  }
}

/** The rejected rows of an operation in the order of its file, page by page. */
export async function* rejectedRows(
  ctx: Context,
  { id }: Pick<Operation, 'id'>,
): AsyncIterable<readonly RejectedRow[]> {
  let after = 0;
  for (;;) {
    const rows = await read<RejectedRow>(
      ctx,
      sql`
      select row_number as "row", cells, problem from bulk_rejected_rows
      where tenant_id = ${ctx.tenant.id} and operation_id = ${id} and row_number > ${after}
      order by row_number limit ${pageRows}`,
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.row;
  }
}
