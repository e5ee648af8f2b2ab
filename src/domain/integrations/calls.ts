import { handleCall as handleCallJob } from '#jobs/integrations.ts';
import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { equalInConstantTime, sha256 } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import { deriveToken } from '../tenants/index.ts';
import { sign } from '../webhooks/index.ts';

/** A call as received: the three headers of Standard Webhooks ('' when missing) and the signed bytes. */
export interface SignedCall {
  readonly provider: string;
  readonly messageId: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly signature: string;
  readonly rawBody: Buffer;
}

/** How far clocks may differ, and how long a captured call could be replayed. */
const toleranceMs = minutes(5);

/** Sealed bodies are bound to this field name and to their store. */
export const bodyField = 'integration_call';

/**
 * Accept a call from a third party: verify it, then store it encrypted and enqueue the job that handles it, in one
 * transaction. A repeated message is stored once.
 *
 * @throws DomainError `invalid_request` when it is not signed with this store's secret for that provider, or too old;
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
      values (${ctx.tenant.id}, ${newId('call')}, ${call.provider}, ${call.messageId}, ${sealed}, 'received',
        ${ctx.clock.now()})
      on conflict (tenant_id, provider, message_id) do nothing returning id`);
    if (stored) enqueue(ctx, handleCallJob, { callId: stored.id });
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
 * The secret with which a third party signs its calls to this store, in the format of Standard Webhooks. It is derived
 * from the store's secret: after rotating that, each third party needs its new secret.
 */
export async function callSecretOf(ctx: Context, provider: string): Promise<string> {
  return `whsec_${sha256(await deriveToken(ctx, 'integration.calls', provider)).toString('base64')}`;
}

/**
 * Pass a call to its provider's receiver and record that it was handled. A call of a provider without a receiver is
 * only stored.
 */
export async function handleCall(ctx: Context, { callId }: { callId: string }): Promise<void> {
  const call = await readOne<{ provider: string; sealed: string }>(
    ctx,
    sql`
    select provider, body_sealed as sealed from integration_calls
    where tenant_id = ${ctx.tenant.id} and id = ${callId} and state in ('received', 'failed')`,
  );
  if (!call) return;
  const receiver = ctx.ports.integrations.get(call.provider);
  const body: unknown = JSON.parse(ctx.keyring.open(ctx.tenant.id, bodyField, call.sealed));
  await receiver?.receive({ id: callId, tenantId: ctx.tenant.id, body }, ctx.signal);
  await completeJob(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      update integration_calls set state = ${receiver ? 'handled' : 'ignored'}, finished_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${callId} and state in ('received', 'failed')`);
  });
}

/** Mark a call as failed when its job has used up its attempts. */
export async function failCall(ctx: Context, { callId }: { callId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      update integration_calls set state = 'failed', finished_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${callId} and state = 'received'`);
  });
}
