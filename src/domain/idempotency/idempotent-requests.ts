import { readOne, write } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';
import { sealedColumn } from '../sealed-column.ts';

/** A request that is run once: what its key is unique by (the tenant is the context's), and what it asks. */
export interface IdempotentRequest {
  readonly method: string;
  readonly path: string;
  /** Whose key it is: an API key's id, a session's, or `anonymous`. */
  readonly credential: string;
  /** Without one, the body stands for it, for a moment: a double click. */
  readonly key: string | undefined;
  readonly body: Buffer;
}

/** The request is this process's to run, as long as nobody holds a later lease. */
export interface ClaimedRequest {
  /** The same at every try of one request. */
  readonly id: string;
  readonly lease: number;
}

/** How long a reply is remembered, and a key stands for one body. */
const storedMs = hours(24);

/** How long the same request without a key is a double click. */
const repeatMs = seconds(5);

/** Outlives every request; who comes after it takes the request for dead, and over. */
const leaseMs = seconds(60);

const idempotencyRetrySeconds = 1;

/**
 * Claim a request for running it, or find what it was answered. Of any number of claims at once one is granted; a
 * lease that ran out, or was released, is granted again with the same id.
 *
 * @throws DomainError `idempotency_key_reused` for another body, `idempotency_in_progress` while another claim holds
 */
export async function claimRequest(ctx: Context, request: IdempotentRequest): Promise<ClaimedRequest | StoredReply> {
  const bodyDigest = sha256(request.body);
  // No header holds a line break: what stands for a missing key is nobody's key.
  const key = request.key ?? `\n${bodyDigest.toString('hex')}`;
  const digest = sha256([request.method, request.path, request.credential, key].join('\n'));
  const claimed = await claim(ctx, digest, bodyDigest, request.key === undefined ? repeatMs : storedMs);
  if (claimed) return claimed;

  const held = await readOne<{ id: string; isSameBody: boolean; reply: string | null }>(
    ctx,
    sql`
    select id, body_digest = ${bodyDigest} as "isSameBody", reply_sealed as reply
    from idempotency_keys where tenant_id = ${ctx.tenant.id} and digest = ${digest}`,
  );
  if (held && !held.isSameBody) {
    throw new DomainError(
      'unprocessable',
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body.',
    );
  }
  if (held?.reply) return openReply(ctx, held.id, held.reply);
  throw new DomainError(
    'conflict',
    'idempotency_in_progress',
    'The first request like this one is still in progress.',
    {
      retryAfterSeconds: idempotencyRetrySeconds,
    },
  );
}

/** One statement, so that of two at the same moment one waits for the other's row and then finds it held. */
async function claim(
  ctx: Context,
  digest: Buffer,
  bodyDigest: Buffer,
  validMs: number,
): Promise<ClaimedRequest | undefined> {
  const now = ctx.clock.now();
  const forgotten = sql`(known.created_at <= ${fromNow(ctx.clock, -validMs)}
    and (known.reply_sealed is not null or known.leased_until <= ${now}))`;
  const [claimed] = await write<ClaimedRequest>(
    ctx,
    sql`
    claimed as (
      insert into idempotency_keys as known (tenant_id, id, digest, body_digest, lease, leased_until, created_at)
      values (${ctx.tenant.id}, ${newId('idem')}, ${digest}, ${bodyDigest}, 1, ${fromNow(ctx.clock, leaseMs)}, ${now})
      on conflict (tenant_id, digest) do update set
        id = case when ${forgotten} then excluded.id else known.id end,
        created_at = case when ${forgotten} then excluded.created_at else known.created_at end,
        body_digest = excluded.body_digest,
        lease = known.lease + 1,
        leased_until = excluded.leased_until,
        reply_sealed = null
      where ${forgotten}
        or (known.reply_sealed is null and known.leased_until <= ${now} and known.body_digest = excluded.body_digest)
      returning id, lease)`,
    sql`select id, lease from claimed`,
  );
  return claimed;
}

/** Let the next try run at once: this one has come to no answer that should be kept. */
export async function releaseRequest(ctx: Context, { id, lease }: ClaimedRequest): Promise<void> {
  await write(
    ctx,
    sql`
    released as (
      update idempotency_keys set leased_until = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and lease = ${lease} and reply_sealed is null
      returning id)`,
    sql`select id from released`,
  );
}

export const requestRetention: readonly Retention[] = [
  { table: 'idempotency_keys', age: 'created_at', retainedMs: storedMs },
];

/** Remove the idempotent requests of yesterday, of all stores. */
export async function pruneRequests(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, requestRetention);
}

/** What a request was answered: enough to answer it again, to the byte. */
export interface StoredReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Keep the answer of a claimed request, encrypted: it may hold what only its caller should see. In a transaction it
 * is kept with everything that the transaction writes, or not at all. Answers whether the lease still held.
 */
export async function storeReply(ctx: Context, { id, lease }: ClaimedRequest, reply: StoredReply): Promise<boolean> {
  const sealed = ctx.keyring.seal(ctx.tenant.id, replyField(id), JSON.stringify(reply));
  const kept = await write<{ id: string }>(
    ctx,
    sql`
    kept as (
      update idempotency_keys set reply_sealed = ${sealed}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and lease = ${lease} and reply_sealed is null
      returning id)`,
    sql`select id from kept`,
  );
  return kept.length > 0;
}

function openReply(ctx: Context, id: string, sealed: string): StoredReply {
  const reply: StoredReply = JSON.parse(ctx.keyring.open(ctx.tenant.id, replyField(id), sealed));
  return reply;
}

/** What a sealed reply is bound to, beside its store. */
const replyField = (id: string) => `idempotent_reply ${id}`;

export const idempotencySealedColumns = [sealedColumn('idempotency_keys', 'reply_sealed', replyField)];
