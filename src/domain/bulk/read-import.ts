import { applyBatches, readImport as readImportJob } from '#jobs/bulk.ts';
import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { type Item, rowAt } from './apply-items.ts';
import { columnsNamed } from './columns.ts';
import { tableOf } from './kinds/index.ts';
import { endOperation, lockOpenOperation, type Operation, readOperation } from './operation.ts';
import { type FileRow, readHeader, readLines, readTable } from './read-rows.ts';
import { type Slice, startSlice } from './run-slice.ts';

const itemsMax = 100;
const batchCharactersMax = 200_000;
const rowsOfItemMax = 1000;

/**
 * Divide the file of an import into batches. Nothing is applied before all of it was read: a file that ends in the
 * middle of a quoted cell, or has a wrong column, changes nothing.
 */
export async function readImport(ctx: Context, slice: Slice): Promise<void> {
  try {
    await readSlice(ctx, slice);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    await completeJob(ctx, async (ctx) => {
      const operation = await lockOpenOperation(ctx, slice.operationId);
      if (operation) await endOperation(ctx, operation, 'failed', `${error.message} Nothing was imported.`);
    });
  }
}

async function readSlice(ctx: Context, { operationId, number }: Slice): Promise<void> {
  const isLast = startSlice(ctx);
  const operation = await openFile(ctx, operationId);
  if (!operation) return;
  let from = operation.bytesRead;
  for await (const batch of batchesOf(ctx, operation)) {
    const next = isLast() ? { operationId, number: number + 1 } : undefined;
    const isStored = await (next ? completeJob : transact)(ctx, async (ctx) => {
      if (!(await storeBatch(ctx, operationId, from, batch))) return false;
      if (next) enqueue(ctx, readImportJob, next);
      return true;
    });
    if (next || !isStored) return;
    from = batch.endsAt;
  }
  await completeJob(ctx, (ctx) => beginApplying(ctx, operationId, from));
}

/** The open operation with its columns, which the first run reads. */
async function openFile(ctx: Context, id: string): Promise<Operation | undefined> {
  const operation = await readOperation(ctx, 'import', id);
  if (!operation || operation.finishedAt || operation.rowsTotal !== null) return undefined;
  if (operation.columns) return operation;
  const table = tableOf(operation);
  const header = table && readHeader((await readChunk(ctx, id, 0))?.content ?? Buffer.alloc(0));
  const columns = table && header ? columnsNamed(table, header.columns) : ['json'];
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update bulk_operations set columns = ${columns}, separator = ${header?.separator ?? null},
      bytes_read = ${header?.endsAt ?? 0}, last_row = ${header ? 1 : 0}, state = 'running',
      started_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id} and columns is null and finished_at is null`),
  );
  return openFile(ctx, id);
}

interface Chunk {
  readonly startsAt: number;
  readonly content: Buffer;
}

/** The chunk with this byte of the file. */
function readChunk(ctx: Context, operationId: string, at: number): Promise<Chunk | undefined> {
  return readOne<Chunk>(
    ctx,
    sql`
    select starts_at as "startsAt", content from bulk_chunks
    where tenant_id = ${ctx.tenant.id} and operation_id = ${operationId}
      and starts_at + octet_length(content) > ${at}::bigint
    order by position limit 1`,
  );
}

async function* textFrom(ctx: Context, operationId: string, from: number): AsyncIterable<Buffer> {
  let at = from;
  for (;;) {
    const chunk = await readChunk(ctx, operationId, at);
    if (!chunk) return;
    yield chunk.content.subarray(at - chunk.startsAt);
    at = chunk.startsAt + chunk.content.length;
  }
}

/** Some things that follow each other in a file, how many rows they have, and where the last of them ends. */
interface Batch {
  readonly items: readonly Item[];
  readonly rows: number;
  readonly lastRow: number;
  readonly endsAt: number;
}

async function* batchesOf(ctx: Context, operation: Operation): AsyncIterable<Batch> {
  const text = textFrom(ctx, operation.id, operation.bytesRead);
  const { separator, lastRow: rowBefore } = operation;
  const firstRow = rowBefore + 1;
  const rows = separator === null ? readLines(text, { firstRow }) : readTable(text, { separator, firstRow });
  let items: Item[] = [];
  let [rowCount, characters, lastRow, endsAt] = [0, 0, 0, 0];
  for await (const { item, rowEndsAt } of itemsOf(operation, rows)) {
    items.push(item);
    lastRow = rowAt(item, item.cells.length - 1);
    rowCount += item.cells.length;
    characters += item.cells.flat().reduce((sum, { length }) => sum + length, 0);
    endsAt = operation.bytesRead + rowEndsAt;
    if (items.length < itemsMax && characters < batchCharactersMax) continue;
    yield { items, rows: rowCount, lastRow, endsAt };
    [items, rowCount, characters] = [[], 0, 0];
  }
  if (items.length > 0) yield { items, rows: rowCount, lastRow, endsAt };
}

/** Consecutive rows that name the same thing, or none, are one item. */
async function* itemsOf(
  operation: Operation,
  rows: AsyncIterable<FileRow>,
): AsyncIterable<{ item: Item; rowEndsAt: number }> {
  const table = tableOf(operation);
  const column = operation.columns?.indexOf(table?.groupedBy ?? '') ?? -1;
  let some: FileRow[] = [];
  for await (const next of rows) {
    const name = next.cells[column] ?? '';
    const isSame = column >= 0 && (name === '' || name === some[0]?.cells[column]);
    if (some.length > 0 && (!isSame || some.length === rowsOfItemMax)) {
      yield itemOf(some);
      some = [];
    }
    some.push(next);
  }
  if (some.length > 0) yield itemOf(some);
}

function itemOf(fileRows: readonly FileRow[]): { item: Item; rowEndsAt: number } {
  const [row = 0, ...others] = fileRows.map((each) => each.row);
  const isContiguous = others.every((other, index) => other === row + index + 1);
  const cells = fileRows.map((each) => each.cells);
  return {
    item: { row, cells, ...(!isContiguous && { rows: [row, ...others] }) },
    rowEndsAt: fileRows.at(-1)?.endsAt ?? 0,
  };
}

/** @returns false when the operation was canceled, or another run has read on from here */
async function storeBatch(ctx: InTransaction, id: string, from: number, batch: Batch): Promise<boolean> {
  const { items, rows, lastRow, endsAt } = batch;
  const stored = await ctx.tx.execute(sql`
    with operation as (
      update bulk_operations set bytes_read = ${endsAt}, rows_read = rows_read + ${rows}, last_row = ${lastRow}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and finished_at is null and bytes_read = ${from}
      returning 1),
    batch as (
      insert into bulk_batches (tenant_id, operation_id, position, items)
      select ${ctx.tenant.id}, ${id}, ${items[0]?.row ?? 0}, ${JSON.stringify(items)}::json from operation),
    chunks as (
      delete from bulk_chunks where tenant_id = ${ctx.tenant.id} and operation_id = ${id}
        and starts_at + octet_length(content) <= ${endsAt}::bigint and exists (select from operation))
    select 1 from operation`);
  return stored.length > 0;
}

async function beginApplying(ctx: InTransaction, operationId: string, from: number): Promise<void> {
  const [read] = await ctx.tx.execute<Pick<Operation, 'id' | 'type'> & { rows: number }>(sql`
    update bulk_operations set rows_total = rows_read
    where tenant_id = ${ctx.tenant.id} and id = ${operationId} and finished_at is null and bytes_read = ${from}
    returning id, type, rows_total as rows`);
  if (read?.rows === 0) await endOperation(ctx, read, 'failed', 'The file has no rows.');
  else if (read) enqueue(ctx, applyBatches, { operationId, number: 0 });
}
