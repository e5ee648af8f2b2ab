import { handleCall } from '#jobs/integrations.ts';
import { transact } from '#src/database/transact.ts';
import { equalInConstantTime, sha256 } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import { deriveToken } from '../tenants/index.ts';
import { sign } from '../webhooks/index.ts';

/** A call as it came: the three headers of Standard Webhooks ('' where one was not sent) and the bytes they sign. */
export interface SignedCall {
  readonly provider: string;
  readonly messageId: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly signature: string;
  readonly rawBody: Buffer;
}

/** How far the clocks of two machines may be apart, and how long a call may be replayed by who overheard it. */
const toleranceMs = minutes(5);

/** The field that sealed text is bound to. */
export const bodyField = 'integration_call';

/**
 * Take in what a third party tells: verified, then stored encrypted with the promise to look into it, in one
 * transaction. The same message told again is the same call.
 *
 * @throws DomainError `invalid_request` when it is not signed with this store's secret for that party, or too old;
 *   `invalid_json`
 */
export async function acceptCall(ctx: Context, call: SignedCall): Promise<void> {
  if (!(await hasValidSignature(ctx, call))) {
    ctx.log.warn({ provider: call.provider }, 'integration call with a wrong signature');
    throw invalidRequest('The signature is not valid.');
  }
  const body = call.rawBody.toString('utf8');
  rejectUnreadable(body);
  const sealed = ctx.keyring.seal(ctx.tenant.id, bodyField, body);
  await transact(ctx, async (ctx) => {
    const [stored] = await ctx.tx.execute<{ id: string }>(sql`
      insert into integration_calls (tenant_id, id, provider, message_id, body_sealed, state, received_at)
      values (${ctx.tenant.id}, ${newId('call')}, ${call.provider}, ${call.messageId}, ${sealed}, 'received', ${ctx.clock.now()})
      on conflict (tenant_id, provider, message_id) do nothing returning id`);
    if (stored) enqueue(ctx, handleCall, { callId: stored.id });
  });
}

const messageIdMax = 200;

async function hasValidSignature(
  ctx: Context,
  { provider, messageId, timestamp, signature, rawBody }: SignedCall,
): Promise<boolean> {
  const at = /^[0-9]{1,12}$/.test(timestamp) ? new Date(Number(timestamp) * 1000) : undefined;
  if (!at || messageId === '' || messageId.length > messageIdMax) return false;
  if (Math.abs(ctx.clock.now().getTime() - at.getTime()) > toleranceMs) return false;
  const expected =
    sign([await callSecretOf(ctx, provider)], messageId, at, rawBody.toString('utf8'))['webhook-signature'] ?? '';
  return signature.split(' ').some((given) => equalInConstantTime(given, expected));
}

function rejectUnreadable(body: string): void {
  try {
    JSON.parse(body);
  } catch {
    throw new DomainError('invalid', 'invalid_json', 'The body is not JSON.');
  }
}

/**
 * The secret that a third party signs its calls to this store with, as Standard Webhooks writes secrets. It is derived
 * from the store's own: whoever rotates that gives a new one to each third party.
 */
export async function callSecretOf(ctx: Context, provider: string): Promise<string> {
  return `whsec_${sha256(await deriveToken(ctx, 'integration.calls', provider)).toString('base64')}`;
}
