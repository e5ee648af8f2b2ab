import { readOne, write } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { ClaimedRequest, IdempotentRequest } from './keyed-request.ts';
import { openReply, type StoredReply } from './stored-reply.ts';

/** How long a reply is remembered, and a key stands for one body. */
export const storedMs = hours(24);

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
