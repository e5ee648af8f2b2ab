import { reconcilePaymentEvent } from '#jobs/payments.ts';
import { write } from '#src/database/transact.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { insertJobs, outboxJobOf } from '#src/outbox/enqueue.ts';
import type { Context } from '../../context.ts';
import type { PaymentEvent, PaymentGateway } from '../../ports/payment-gateway.ts';
import { liveWebhookSecrets } from '../accounts/payment-account.ts';
import { isOwnObject } from '../snapshots/fetch-snapshot.ts';

/**
 * Accept an event that the payment provider delivered: verify it, store it together with the job that reconciles it,
 * and only then acknowledge it. The body is not stored: an event only says that something changed, and the job fetches
 * the current state.
 *
 * @throws DomainError invalid when no live secret signed it, or when it is not an event
 */
export async function acceptPaymentEvent(
  ctx: Context,
  { rawBody, signature }: { rawBody: Buffer; signature: string },
): Promise<void> {
  const event = await verify(ctx, rawBody, signature);
  if (event === 'forged') throw invalidRequest('The signature is not valid.');
  if (event === 'unreadable') throw invalidRequest('The body is not an event.');
  await storeEvents(ctx, [event], 'webhook');
}

/**
 * Store events, and enqueue the jobs that reconcile those that may concern this store, with one statement.
 * @returns the events that were not stored before
 */
export async function storeEvents(
  ctx: Context,
  events: readonly PaymentEvent[],
  source: 'webhook' | 'sweep',
): Promise<StoredEvent[]> {
  const now = ctx.clock.now();
  const rows = events.map((event) => ({
    id: event.eventId,
    type: event.type,
    subject: event.subject,
    object_id: event.objectId,
    occurred_at: event.createdAt,
    state:
      event.subject !== null && (event.metadata === null || isOwnObject(ctx, event.metadata)) ? 'pending' : 'ignored',
  }));
  const jobs = rows
    .filter(({ state }) => state === 'pending')
    .map(({ id }) => outboxJobOf(ctx, reconcilePaymentEvent, { eventId: id, attempt: 1 }));
  const changes = sql`
    stored as (
      insert into payment_events (
        tenant_id, id, type, subject, object_id, source, state, occurred_at, received_at, settled_at)
      select ${ctx.tenant.id}, id, type, subject, object_id, ${source}, state, occurred_at, ${now},
        case when state = 'ignored' then ${now}::timestamptz end
      from jsonb_populate_recordset(null::payment_events, ${JSON.stringify(rows)}::jsonb)
      on conflict do nothing
      returning id, state, occurred_at as "occurredAt"),
    enqueued as (${insertJobs(jobs, sql`payload ->> 'eventId' in (select id from stored)`)})`;
  const stored = await write<StoredEvent>(ctx, changes, sql`select * from stored`);
  if (stored.some(({ state }) => state === 'pending')) ctx.database.wakeRelay();
  return stored;
}

export interface StoredEvent {
  readonly id: string;
  readonly state: 'pending' | 'ignored';
  readonly occurredAt: Date;
}

/** A secret that was just rotated in may not be cached yet, so an invalid signature is verified again, uncached. */
async function verify(
  ctx: Context,
  rawBody: Buffer,
  signature: string,
): Promise<ReturnType<PaymentGateway['verifyEvent']>> {
  const check = (secrets: readonly string[]) =>
    ctx.ports.payments.verifyEvent(rawBody, signature, secrets, ctx.clock.now());
  const event = check(await liveWebhookSecrets(ctx));
  return event === 'forged' ? check(await liveWebhookSecrets(ctx, { fresh: true })) : event;
}
