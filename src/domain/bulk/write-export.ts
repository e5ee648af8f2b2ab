import { completeJob, transact, withSnapshot } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { byteOrderMark, csvForPrograms, csvOf } from './csv.ts';
import type { ExportKind } from './export-kind.ts';
import { exportKindOf, rangeOf } from './exports/index.ts';
import { endOperation, lockOpenOperation, type Operation, readOperation } from './operation.ts';

const chunkBytes = 256 * 1024;
/** Sorting what is exported may take longer than other statements. */
const statementMs = seconds(120);

/** What is written, with how many rows each text has. */
export type FileParts = AsyncIterable<{ readonly text: string; readonly rows: number }>;

/**
 * Write the file of an export from one snapshot of the store. All of it is one transaction: a process that is killed
 * leaves nothing behind, and the next run writes another snapshot. It changes no row that others change, so that it
 * neither waits nor fails.
 */
export async function writeExport(
  ctx: Context,
  { operationId }: { operationId: string },
  partsOf: (ctx: InTransaction, operation: Operation) => FileParts = tableOf,
): Promise<void> {
  const operation = await readOperation(ctx, 'export', operationId);
  if (!operation || operation.finishedAt) return;
  await recordStart(ctx, operationId);
  const written = await withSnapshot(ctx, (ctx) => writeChunks(ctx, operation, partsOf(ctx, operation)));
  await completeJob(ctx, async (ctx) => {
    const open = await lockOpenOperation(ctx, operationId);
    if (!open) return;
    await ctx.tx.execute(sql`
      update bulk_operations set rows_total = ${written.rows}, rows_read = ${written.rows}, rows_done = ${written.rows},
        file_bytes = ${written.bytes}
      where tenant_id = ${ctx.tenant.id} and id = ${operationId}`);
    await endOperation(ctx, open, 'completed');
  });
}

async function recordStart(ctx: Context, operationId: string): Promise<void> {
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update bulk_operations set state = 'running', started_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${operationId} and finished_at is null`),
  );
}

async function writeChunks(
  ctx: InTransaction,
  operation: Operation,
  parts: FileParts,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  await ctx.tx.limitStatements(statementMs);
  // A run that died after its snapshot was committed has left its file.
  await ctx.tx.execute(sql`
    delete from bulk_chunks where tenant_id = ${ctx.tenant.id} and operation_id = ${operation.id}`);
  const file = chunkWriter(ctx, operation.id);
  let rows = 0;
  for await (const part of parts) {
    rows += part.rows;
    await file.write(part.text);
  }
  return { rows, bytes: await file.end() };
}

async function* tableOf(ctx: InTransaction, operation: Operation): FileParts {
  const write = writerOf(ctx, exportKindOf(operation), operation);
  yield { text: write.header, rows: 0 };
  for await (const some of fetchRows(ctx, write.select)) {
    const written = some.flatMap(write.rowsOf);
    yield { text: write.textOf(written), rows: written.length };
  }
}

type FetchedRow = Readonly<Record<string, unknown>>;

/** How the rows of a query become text. */
interface Writer {
  readonly select: Sql;
  readonly header: string;
  rowsOf(fetched: FetchedRow): readonly FetchedRow[];
  textOf(rows: readonly FetchedRow[]): string;
}

function writerOf(ctx: Context, kind: ExportKind, operation: Operation): Writer {
  const range = rangeOf(operation);
  const rows = (fetched: FetchedRow) => [fetched];
  const select = () => kind.select(ctx, range);
  const objects = () => kind.selectObjects?.(ctx, range) ?? select();
  if (operation.format === 'jsonl') {
    const textOf = (some: readonly FetchedRow[]) => some.map((row) => `${JSON.stringify(row)}\n`).join('');
    return { select: objects(), header: '', rowsOf: rows, textOf };
  }
  const table = operation.format === 'shopify' ? kind.shopify : undefined;
  const columns = table?.columns ?? kind.columns;
  const toCsv = table ? csvForPrograms : csvOf;
  return {
    select: table ? objects() : select(),
    // Shopify reads UTF-8 without a mark.
    header: (table ? '' : byteOrderMark) + toCsv([columns]),
    rowsOf: table ? (object) => table.rowsOf(object, ctx) : rows,
    textOf: (some) => toCsv(some.map((row) => columns.map((name) => row[name]))),
  };
}

async function* fetchRows(ctx: InTransaction, select: Sql): AsyncIterable<FetchedRow[]> {
  await ctx.tx.execute(sql`declare exported no scroll cursor for ${select}`);
  for (;;) {
    const rows = await ctx.tx.execute<FetchedRow>(sql`fetch 500 from exported`);
    if (rows.length === 0) return;
    yield rows;
  }
}

/** Writes text in chunks. `end` returns how many bytes it has in all. */
function chunkWriter(ctx: InTransaction, operationId: string) {
  let waiting: Buffer[] = [];
  let [waitingBytes, startsAt, position] = [0, 0, 0];

  async function flush(): Promise<void> {
    await ctx.tx.execute(sql`
      insert into bulk_chunks (tenant_id, operation_id, position, starts_at, content, created_at)
      values (${ctx.tenant.id}, ${operationId}, ${position}, ${startsAt}, ${Buffer.concat(waiting)},
        ${ctx.clock.now()})`);
    position += 1;
    startsAt += waitingBytes;
    [waiting, waitingBytes] = [[], 0];
  }

  return {
    async write(text: string): Promise<void> {
      const bytes = Buffer.from(text);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= chunkBytes) await flush();
    },
    async end(): Promise<number> {
      if (waitingBytes > 0) await flush();
      return startsAt;
    },
  };
}
