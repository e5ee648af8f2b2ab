import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { bodyField } from './accept-call.ts';

/**
 * Pass a call to its provider's receiver and record that it was handled. A call of a provider without a receiver is only
 * stored.
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
