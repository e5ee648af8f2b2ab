import { readImport } from '#jobs/bulk.ts';
import { transact } from '#src/database/transact.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import type { ImportKind, ImportMode } from './import-kind.ts';
import { endOperation, incompleteFile, insertOperation, lockOpenOperation } from './operation.ts';
import { replaceSecrets } from './replace-secrets.ts';
import { toUtf8 } from './to-utf8.ts';

const chunkBytes = 256 * 1024;

/** The largest file that can be imported. */
export const fileBytesMax = 200_000_000;

/**
 * Store the file of an import as it arrives, and enqueue the import once all of it is stored.
 *
 * An upload that ends in the middle leaves a failed import without a file, so that its owner sees what became of it.
 * @returns the id of the import
 * @throws DomainError `invalid_request` for what is no text
 */
export async function receiveImport(
  ctx: Context,
  { kind, format, ...options }: { kind: ImportKind; format: string; mode: ImportMode; dry_run: boolean },
  file: AsyncIterable<Buffer>,
): Promise<string> {
  const id = await transact(ctx, (ctx) =>
    insertOperation(ctx, 'imp', { type: 'import', kind: kind.name, format, options, state: 'receiving' }),
  );
  try {
    const text = toUtf8(file);
    const stored = kind.replaceSecrets ? replaceSecrets(ctx, { kind, format }, text) : text;
    const fileBytes = await storeChunks(ctx, id, stored);
    if (fileBytes === 0) throw invalidRequest('The file is empty.');
    await beginReading(ctx, id, fileBytes);
    return id;
  } catch (error) {
    await transact(ctx, async (ctx) => {
      const operation = await lockOpenOperation(ctx, id);
      const failure = error instanceof DomainError ? error.message : incompleteFile;
      if (operation) await endOperation(ctx, operation, 'failed', failure);
    });
    throw error;
  }
}

/** @returns the size of the stored text */
async function storeChunks(ctx: Context, operationId: string, text: AsyncIterable<Buffer>): Promise<number> {
  let [position, startsAt] = [0, 0];
  for await (const content of inChunks(text)) {
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      insert into bulk_chunks (tenant_id, operation_id, position, starts_at, content, created_at)
      values (${ctx.tenant.id}, ${operationId}, ${position}, ${startsAt}, ${content}, ${ctx.clock.now()})`),
    );
    position += 1;
    startsAt += content.length;
  }
  return startsAt;
}

async function* inChunks(text: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of text) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(pieces);
    [pieces, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}

async function beginReading(ctx: Context, operationId: string, fileBytes: number): Promise<void> {
  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      update bulk_operations set state = 'queued', file_bytes = ${fileBytes}
      where tenant_id = ${ctx.tenant.id} and id = ${operationId} and state = 'receiving'`);
    enqueue(ctx, readImport, { operationId, number: 0 });
  });
}
