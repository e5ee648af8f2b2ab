import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { subjectsOf } from './changes/change-kind.ts';
import { changeKindOf } from './changes/index.ts';
import { cellReader, problemColumns } from './columns.ts';
import { byteOrderMark, csvOf } from './csv.ts';
import { tableOf } from './kinds/index.ts';
import type { Operation } from './operation.ts';

const pageRows = 500;

export interface RejectedRow {
  readonly row: number;
  readonly cells: readonly string[];
  /** Empty where the row before, which belongs to the same thing, says it. */
  readonly problem: string;
}

/** The rejected rows of an operation as CSV, with the row's number and what is wrong. */
export async function* rejectedRowsCsv(ctx: Context, operation: Operation): AsyncIterable<string> {
  const { columns, rowsOf } = operation.type === 'import' ? rowsOfImport(operation) : rowsOfChange(ctx, operation);
  yield byteOrderMark + csvOf([columns]);
  for await (const rows of rejectedRows(ctx, operation)) yield csvOf(await rowsOf(rows));
}

interface ErrorsTable {
  readonly columns: readonly string[];
  rowsOf(rows: readonly RejectedRow[]): (readonly (string | number)[])[] | Promise<(readonly (string | number)[])[]>;
}

/** The rows as they were received. They can be corrected and imported again: the columns that are added are not read. */
function rowsOfImport(operation: Operation): ErrorsTable {
  const all = operation.columns ?? [];
  const readCell = cellReader(tableOf(operation), all);
  const own = all.filter((name) => !problemColumns.some((other) => other === name));
  const indexes = own.map((name) => all.indexOf(name));
  return {
    columns: [...own, ...problemColumns],
    rowsOf: (rows) =>
      rows.map(({ row, cells, problem }) => [...indexes.map((index) => readCell(cells[index] ?? '')), row, problem]),
  };
}

/** Ids, with what their owner calls what has them, as it is called now. */
function rowsOfChange(ctx: Context, operation: Operation): ErrorsTable {
  return {
    columns: ['id', 'subject', 'row', 'problem'],
    async rowsOf(rows) {
      const ids = rows.map(({ cells: [id = ''] }) => id);
      const subjects = await subjectsOf(ctx, changeKindOf(operation), ids);
      return rows.map(({ cells: [id = ''], row, problem }) => [id, subjects.get(id) ?? '', row, problem]);
    },
  };
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
