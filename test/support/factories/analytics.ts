import { randomUUID } from 'node:crypto';
import { read, transact } from '#src/database/transact.ts';
import { aggregateBatches, type EventsReceipt, ingestEvents } from '#src/domain/analytics/index.ts';
import type { Context } from '#src/domain/context.ts';
import { seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';

/** A product view, by a session of its own. */
export function buildEvent(given: object = {}): object {
  return {
    event_id: randomUUID(),
    type: 'product_viewed',
    session_id: randomUUID(),
    product_slug: 'oak-bowl',
    ...given,
  };
}

/** Send a batch as a page does, though not over HTTP. */
export async function sendEvents(
  ctx: Context,
  events: readonly object[],
  { userAgent = 'Firefox', clientIp = '203.0.113.9', sentAt = undefined as string | undefined } = {},
): Promise<EventsReceipt> {
  const input = { events: [...events], sent_at: sentAt };
  const rawBody = Buffer.from(JSON.stringify(input));
  return ingestEvents(ctx, { input: JSON.parse(rawBody.toString()), rawBody, sender: { clientIp, userAgent } });
}

/** Write a batch of one event, the oldest pending one, as only a faulty release could. Returns its id. */
export async function plantBatch(ctx: Context, event: object): Promise<string> {
  const id = newId('bat');
  const at = new Date(ctx.clock.now().getTime() - seconds(10));
  const events = [{ id: randomUUID(), at, type: 'page_viewed', session_id: 's', ...event }];
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    insert into analytics_batches (tenant_id, id, received_at, source, bot, event_count, events)
    values (${ctx.tenant.id}, ${id}, ${at}, 'client', false, 1, ${JSON.stringify(events)})`),
  );
  return id;
}

/** Aggregate all waiting events, of every store. */
export async function aggregateAll(services: Services): Promise<void> {
  await aggregateBatches(services.context());
}

export interface AggregatedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly source: string;
  readonly bot: boolean;
  readonly visitor: string | null;
  readonly session_id: string | null;
  readonly occurred_at: Date;
  readonly received_at: Date;
  readonly value_cents: number | null;
  readonly properties: Record<string, unknown> | null;
}

/** The store's aggregated events, in the order of their time. */
export async function aggregatedEvents(ctx: Context): Promise<AggregatedEvent[]> {
  return read<AggregatedEvent>(
    ctx,
    sql`
    select * from analytics_events where tenant_id = ${ctx.tenant.id} order by occurred_at, event_id`,
  );
}

/** How many batches of the store wait. */
export async function waitingBatches(ctx: Context): Promise<number> {
  return (await read(ctx, sql`select 1 from analytics_batches where tenant_id = ${ctx.tenant.id}`)).length;
}

/** Every roll-up of the store, to be compared. */
export async function rollUpsOf(ctx: Context): Promise<object> {
  const hours = await read(
    ctx,
    sql`select hour, type, events, revenue_cents from analytics_hours where tenant_id = ${ctx.tenant.id} order by 1, 2`,
  );
  const days = await read(ctx, sql`select * from analytics_days where tenant_id = ${ctx.tenant.id} order by day`);
  const sessions = await read(
    ctx,
    sql`select day, step, session from analytics_sessions where tenant_id = ${ctx.tenant.id} order by 1, 2, 3`,
  );
  return { hours, days, sessions };
}
