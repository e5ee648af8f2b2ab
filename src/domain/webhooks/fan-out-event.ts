import { completeJob } from '#src/database/transact.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { isSubscribedTo } from '#src/outbox/events.ts';
import type { Context, InTransaction } from '../context.ts';
import { delayFinalCheck, wakeForDeliveries } from './endpoint-wakes.ts';

/**
 * Create one delivery for each endpoint that subscribes to the event's type, and wake the endpoint. The delivery to a
 * disabled endpoint is discarded at once, so that it can be recovered later.
 */
export async function fanOutEvent(ctx: Context, { eventId }: { eventId: string }): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const endpoints = await endpointsOf(ctx, eventId);
    if (endpoints.length === 0) return;

    const now = ctx.clock.now();
    const dueAt = new Date(now.getTime() + (ctx.settings.webhookRetryScheduleMs[0] ?? 0));
    const deliveries = endpoints.map(({ id, disabled }) => ({
      id: newId('whd'),
      endpointId: id,
      state: disabled ? 'discarded' : 'pending',
      dueAt: disabled ? null : dueAt,
    }));
    await ctx.tx.execute(sql`
      insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, state, next_attempt_at, created_at,
        finished_at)
      select ${ctx.tenant.id}, id, "endpointId", ${eventId}, state, "dueAt", ${now},
        case when state = 'pending' then null else ${now}::timestamptz end
      from jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb)
        as d(id text, "endpointId" text, state text, "dueAt" timestamptz)
      on conflict (tenant_id, endpoint_id, event_id) do nothing`);
    await wakeForDeliveries(
      ctx,
      endpoints.filter(({ disabled }) => !disabled).map(({ id }) => id),
    );
  });
}

async function endpointsOf(ctx: InTransaction, eventId: string): Promise<{ id: string; disabled: boolean }[]> {
  return ctx.tx.execute(sql`
    select subscribed.*, ${delayFinalCheck(sql`subscribed.id`)}
    from (
      select endpoint.id, endpoint.disabled_at is not null as disabled
      from events event join webhook_endpoints endpoint on endpoint.tenant_id = event.tenant_id
      where event.tenant_id = ${ctx.tenant.id} and event.id = ${eventId} and ${isSubscribedTo}
      order by endpoint.id) subscribed`);
}
