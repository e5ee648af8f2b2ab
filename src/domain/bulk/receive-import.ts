import { createHash, type Hash } from 'node:crypto';
import { readImport } from '#jobs/bulk.ts';
import { lockName } from '#src/database/lock-names.ts';
import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { idempotencyKeyReused, replyRetainedMs } from '../idempotency/index.ts';
import type { ImportKind, ImportMode } from './import-kind.ts';
import { endOperation, incompleteFile, insertOperation, lockOpenOperation } from './operation.ts';
import { replaceSecrets } from './replace-secrets.ts';
import { toUtf8 } from './to-utf8.ts';
import { usualEncodingOf } from './usual-encoding.ts';

const chunkBytes = 256 * 1024;

/** The largest file that can be imported. */
export const fileBytesMax = 200_000_000;

interface ImportRequest {
  readonly kind: ImportKind;
  readonly format: string;
  readonly mode: ImportMode;
  readonly dry_run: boolean;
  /** For 24 hours the same key of the same caller, with the same file and options, is the same import. */
  readonly idempotencyKey?: string | undefined;
}

interface ReceivedImport {
  readonly id: string;
  /** The same file was imported before with this key, and is not imported again. */
  readonly isRepeat: boolean;
}

/**
 * Store the file of an import as it arrives, and enqueue the import once all of it is stored.
 *
 * An upload that ends in the middle leaves a failed import without a file, so that its owner sees what became of it.
 *
 * @param options `onArrived`: called before the file is imported; what it throws rejects the file
 * @throws DomainError `invalid_request` for what is no text, `idempotency_key_reused` for another file or other options,
 *   or what `onArrived` throws
 */
export async function receiveImport(
  ctx: Context,
  { kind, format, idempotencyKey, ...options }: ImportRequest,
  file: AsyncIterable<Buffer>,
  { onArrived }: { readonly onArrived?: () => Promise<void> } = {},
): Promise<ReceivedImport> {
  const id = await transact(ctx, (ctx) =>
    insertOperation(ctx, 'imp', { type: 'import', kind: kind.name, format, options, state: 'receiving' }),
  );
  try {
    const digest = createHash('sha256');
    const text = toUtf8(digesting(file, digest), usualEncodingOf(ctx.tenant.locale));
    const stored = kind.replaceSecrets ? replaceSecrets(ctx, { kind, format }, text) : text;
    const fileBytes = await storeChunks(ctx, id, stored);
    if (fileBytes === 0) throw invalidRequest('The file is empty.');
    await onArrived?.();
    const request = idempotencyKey && { key: idempotencyKey, fileDigest: digest.digest() };
    return await transact(ctx, async (ctx) => {
      const earlier = request && (await claimKey(ctx, id, request));
      if (earlier) return { id: earlier, isRepeat: true };
      await beginReading(ctx, id, fileBytes);
      return { id, isRepeat: false };
    });
  } catch (error) {
    await transact(ctx, async (ctx) => {
      const operation = await lockOpenOperation(ctx, id);
      if (operation) await endOperation(ctx, operation, 'failed', failureOf(error));
    });
    throw error;
  }
}

/** Why nothing was imported, for everybody who may see the import. */
function failureOf(error: unknown): string {
  if (!(error instanceof DomainError)) return incompleteFile;
  const isDenied = error.kind === 'unauthenticated' || error.kind === 'forbidden';
  return isDenied
    ? 'The sender of the file no longer has permission to import it. Nothing was imported.'
    : error.message;
}

async function* digesting(file: AsyncIterable<Buffer>, digest: Hash): AsyncIterable<Buffer> {
  for await (const piece of file) {
    digest.update(piece);
    yield piece;
  }
}

/**
 * Bind an Idempotency-Key to an import whose file has arrived. If the key has one already, this one is deleted.
 * @returns the import of the key, if it is another one
 */
async function claimKey(
  ctx: InTransaction,
  id: string,
  { key, fileDigest }: { key: string; fileDigest: Buffer },
): Promise<string | undefined> {
  const requestDigest = sha256([ctx.actor.id, key].join('\n'));
  await lockName(ctx, 'import', requestDigest.toString('hex'));
  const [earlier] = await ctx.tx.execute<{ id: string; isSame: boolean }>(sql`
    select e.id, (e.kind, e.format, e.options, e.file_digest) = (o.kind, o.format, o.options, ${fileDigest}::bytea)
      as "isSame"
    from bulk_operations o join bulk_operations e on e.tenant_id = o.tenant_id and e.request_digest = ${requestDigest}
    where o.tenant_id = ${ctx.tenant.id} and o.id = ${id} and e.created_at > ${fromNow(ctx.clock, -replyRetainedMs)}
    order by e.id desc limit 1`);
  if (!earlier) {
    await ctx.tx.execute(sql`
      update bulk_operations set request_digest = ${requestDigest}, file_digest = ${fileDigest}
      where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    return undefined;
  }
  if (!earlier.isSame) throw idempotencyKeyReused();
  await ctx.tx.execute(sql`delete from bulk_operations where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  return earlier.id;
}

/** Nothing more is stored once the import was canceled. @returns the size of the text */
async function storeChunks(ctx: Context, operationId: string, text: AsyncIterable<Buffer>): Promise<number> {
  let [position, startsAt] = [0, 0];
  for await (const content of inChunks(text)) {
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      insert into bulk_chunks (tenant_id, operation_id, position, starts_at, content, created_at)
      select ${ctx.tenant.id}, id, ${position}::int, ${startsAt}::bigint, ${content}::bytea, ${ctx.clock.now()}
      from bulk_operations where tenant_id = ${ctx.tenant.id} and id = ${operationId} and state = 'receiving'
      for key share`),
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

async function beginReading(ctx: InTransaction, operationId: string, fileBytes: number): Promise<void> {
  await ctx.tx.execute(sql`
    update bulk_operations set state = 'queued', file_bytes = ${fileBytes}
    where tenant_id = ${ctx.tenant.id} and id = ${operationId} and state = 'receiving'`);
  enqueue(ctx, readImport, { operationId, number: 0 });
}
