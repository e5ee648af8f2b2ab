import { readOne, writeRows } from '#src/database/transact.ts';
import { canonicalJson } from '#src/lib/canonical-json.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { sealedColumn } from '../sealed-column.ts';

/** A request that is executed once: what identifies it within the tenant, and its body, which is compared as JSON. */
export interface IdempotentRequest {
  readonly method: string;
  readonly path: string;
  /** The id of the API key or session that sent it, or `anonymous`. */
  readonly credential: string;
  /** Without a key, the body identifies the request for a few seconds, which catches double clicks. */
  readonly key: string | undefined;
  readonly body: unknown;
}

/** A claim to execute the request, valid until a later lease is granted. */
export interface ClaimedRequest {
  /** The same for each attempt of one request. */
  readonly id: string;
  readonly lease: number;
}

/** How long a reply is stored, and a key is bound to one body. */
export const replyRetainedMs = hours(24);

/** How long a request with the same body and without a key is taken for a double click. */
const repeatMs = seconds(5);

/** A lease is renewed while its request runs. Once it expired, the process is dead and the request can be claimed. */
const leaseMs = seconds(15);

/** Often enough that the lease outlasts two renewals that fail. */
const renewEveryMs = seconds(4);

const idempotencyRetrySeconds = 1;

/**
 * Claim a request for execution, or return its stored reply. Of concurrent claims one is granted. After a lease has
 * expired or was released, the next claim is granted with the same id.
 *
 * @throws DomainError `idempotency_key_reused` for another body, `idempotency_in_progress` while another claim holds
 */
export async function claimRequest(ctx: Context, request: IdempotentRequest): Promise<ClaimedRequest | StoredReply> {
  const bodyDigest = sha256(canonicalJson(request.body));
  // A header cannot contain a line break, so this substitute never equals a key that was sent.
  const key = request.key ?? `\n${bodyDigest.toString('hex')}`;
  const digest = sha256([request.method, request.path, request.credential, key].join('\n'));
  const claimed = await claim(ctx, digest, bodyDigest, request.key === undefined ? repeatMs : replyRetainedMs);
  if (claimed) return claimed;

  const held = await readOne<{ id: string; isSameBody: boolean; reply: string | null }>(
    ctx,
    sql`
    select id, body_digest = ${bodyDigest} as "isSameBody", reply_sealed as reply
    from idempotency_keys where tenant_id = ${ctx.tenant.id} and digest = ${digest}`,
  );
  if (held && !held.isSameBody) {
    throw idempotencyKeyReused();
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

export const idempotencyKeyReused = (): DomainError =>
  new DomainError('unprocessable', 'idempotency_key_reused', 'This Idempotency-Key was used with another body.');

/** One statement, so that of two concurrent claims one waits for the other's row and then finds it claimed. */
async function claim(
  ctx: Context,
  digest: Buffer,
  bodyDigest: Buffer,
  validMs: number,
): Promise<ClaimedRequest | undefined> {
  const now = ctx.clock.now();
  const isExpired = sql`(known.created_at <= ${fromNow(ctx.clock, -validMs)}
    and (known.reply_sealed is not null or known.leased_until <= ${now}))`;
  const [claimed] = await writeRows<ClaimedRequest>(
    ctx,
    sql`
    insert into idempotency_keys as known (tenant_id, id, digest, body_digest, lease, leased_until, created_at)
    values (${ctx.tenant.id}, ${newId('idem')}, ${digest}, ${bodyDigest}, 1, ${fromNow(ctx.clock, leaseMs)}, ${now})
    on conflict (tenant_id, digest) do update set
      id = case when ${isExpired} then excluded.id else known.id end,
      created_at = case when ${isExpired} then excluded.created_at else known.created_at end,
      body_digest = excluded.body_digest,
      lease = known.lease + 1,
      leased_until = excluded.leased_until,
      reply_sealed = null
    where ${isExpired}
      or (known.reply_sealed is null and known.leased_until <= ${now} and known.body_digest = excluded.body_digest)
    returning id, lease`,
  );
  return claimed;
}

/** Do the work of a claimed request, and renew its lease until that ends. */
export async function renewWhile<Result>(
  ctx: Context,
  claimed: ClaimedRequest,
  work: () => Promise<Result>,
  everyMs = renewEveryMs,
): Promise<Result> {
  let renewal: Promise<void> | undefined;
  const renew = async () => {
    // If none succeeds, the next attempt continues, as after a crash.
    await renewLease(ctx, claimed).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'a lease could not be renewed'),
    );
    renewal = undefined;
  };
  const renewals = setInterval(() => {
    renewal ??= renew();
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(renewals);
    // One that is still on its way would take back the lease that is released next.
    await renewal;
  }
}

/** A lease that expired or was released is not renewed. */
async function renewLease(ctx: Context, { id, lease }: ClaimedRequest): Promise<void> {
  await writeRows(
    ctx,
    sql`
    update idempotency_keys set leased_until = ${fromNow(ctx.clock, leaseMs)}
    where tenant_id = ${ctx.tenant.id} and id = ${id} and lease = ${lease} and reply_sealed is null
      and leased_until > ${ctx.clock.now()}
    returning id`,
  );
}

/** Release the lease, so that a retry can execute at once: this attempt has no reply to store. */
export async function releaseRequest(ctx: Context, { id, lease }: ClaimedRequest): Promise<void> {
  await writeRows(
    ctx,
    sql`
    update idempotency_keys set leased_until = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id} and lease = ${lease} and reply_sealed is null
    returning id`,
  );
}

/** The complete response to a request. */
export interface StoredReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Store the reply of a claimed request, encrypted, because it may contain confidential data. In a transaction it is
 * stored together with everything that the transaction writes, or not at all.
 * @returns whether the claim was still valid
 */
export async function storeReply(ctx: Context, { id, lease }: ClaimedRequest, reply: StoredReply): Promise<boolean> {
  const sealed = ctx.keyring.seal(ctx.tenant.id, replyField(id), JSON.stringify(reply));
  const stored = await writeRows<{ id: string }>(
    ctx,
    sql`
    update idempotency_keys set reply_sealed = ${sealed}
    where tenant_id = ${ctx.tenant.id} and id = ${id} and lease = ${lease} and reply_sealed is null
    returning id`,
  );
  return stored.length > 0;
}

function openReply(ctx: Context, id: string, sealed: string): StoredReply {
  const reply: StoredReply = JSON.parse(ctx.keyring.open(ctx.tenant.id, replyField(id), sealed));
  return reply;
}

/** The name that a sealed reply is bound to, beside its tenant. */
const replyField = (id: string) => `idempotent_reply ${id}`;

export const idempotencySealedColumns = [sealedColumn('idempotency_keys', 'reply_sealed', replyField)];
