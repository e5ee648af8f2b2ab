import { completeJob } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** Sweeps in a row that found what webhooks never brought, before somebody is told. */
const silentSweeps = 3;

/** The endpoint at the provider may be gone or disabled: sales go on, only later. Said once, until webhooks come again. */
export async function recordSilence(ctx: Context, missed: number): Promise<void> {
  const now = ctx.clock.now();
  const silence = await completeJob(ctx, async (ctx) => {
    const [row] = await ctx.tx.execute<{ begins: boolean }>(sql`
      with before as (
        select silent_since, sweeps_with_missed from payment_accounts where tenant_id = ${ctx.tenant.id} for update),
      heard as (
        select exists (
          select from payment_events where tenant_id = ${ctx.tenant.id} and source = 'webhook'
            and received_at > ${fromNow(ctx.clock, -ctx.settings.sweepIntervalMs)}) as lately),
      judged as (
        select case when ${missed} > 0 then before.sweeps_with_missed + 1
          when heard.lately then 0 else before.sweeps_with_missed end as sweeps, before.silent_since
        from before, heard)
      update payment_accounts set sweeps_with_missed = judged.sweeps,
        silent_since = case when judged.sweeps >= ${silentSweeps} then coalesce(judged.silent_since, ${now}::timestamptz)
          when judged.sweeps = 0 then null else judged.silent_since end
      from judged where tenant_id = ${ctx.tenant.id}
      returning judged.silent_since is null and payment_accounts.silent_since is not null as begins`);
    return row;
  });
  if (!silence?.begins) return;
  ctx.log.error({ code: 'inbound_webhook_silent' }, 'payment webhooks do not arrive; sweeps bring the events');
}
