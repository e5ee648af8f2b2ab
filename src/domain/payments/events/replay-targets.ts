import { read, readOne } from '#src/database/transact.ts';
import type { TimeRange } from '#src/lib/clock.ts';
import { notFound, ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount, PaymentEvent, PaymentSubject } from '../../ports/payment-gateway.ts';
import { everyPage, paymentErrorOf, withPaymentErrors } from '../provider-calls.ts';
import { firstRangeMs, nextRangeMs, retainedMs } from './listed-range.ts';
import { objectsOf, type ProviderObject } from './provider-objects.ts';

/** An object of the provider to replay, and those of the requested events that name it. */
export interface ReplayTarget {
  readonly subject: PaymentSubject;
  readonly objectId: string;
  readonly eventIds: readonly string[];
}

/** Everything that the provider's events name in a time range, or the objects of one event, session or order. */
export type ReplayWhat =
  | { readonly since: Date; readonly until?: Date | undefined }
  | { readonly eventId: string }
  | { readonly sessionId: string }
  /** An order by its id or its number. */
  | { readonly order: string };

/** Each object once, in the order of the events. */
export async function* replayTargets(
  ctx: Context,
  account: PaymentAccount,
  what: ReplayWhat,
): AsyncGenerator<ReplayTarget> {
  if ('sessionId' in what) yield { subject: 'session', objectId: what.sessionId, eventIds: [] };
  else if ('order' in what) yield* targetsOfOrder(ctx, what.order);
  else if ('eventId' in what) yield await targetOfEvent(ctx, account, what.eventId);
  else yield* targetsSince(ctx, account, what.since, what.until ?? ctx.clock.now());
}

/**
 * The part of the time range for which events are no longer listed is covered by the provider's objects. An object that
 * appears again is not yielded again: it was fetched as it is now.
 */
async function* targetsSince(
  ctx: Context,
  account: PaymentAccount,
  since: Date,
  until: Date,
): AsyncGenerator<ReplayTarget> {
  const seen = new Set<string>();
  const storedFrom = new Date(ctx.clock.now().getTime() - retainedMs);
  if (since < storedFrom) {
    const unlisted = { from: since, to: until < storedFrom ? until : storedFrom };
    for await (const object of unlistedObjects(ctx, account, unlisted)) {
      seen.add(`${object.subject}:${object.objectId}`);
      yield { ...object, eventIds: [] };
    }
  }
  for await (const events of eventsByRange(ctx, account, since < storedFrom ? storedFrom : since, until)) {
    const targets = new Map<string, { subject: PaymentSubject; objectId: string; eventIds: string[] }>();
    for (const { eventId, subject, objectId } of events) {
      if (!subject) continue;
      const key = `${subject}:${objectId}`;
      const target = targets.get(key) ?? { subject, objectId, eventIds: [] };
      target.eventIds.push(eventId);
      targets.set(key, target);
    }
    for (const [key, target] of targets) {
      if (!seen.has(key)) yield target;
      seen.add(key);
    }
  }
}

/** `objectsOf`, whose provider errors are translated for the caller. */
async function* unlistedObjects(
  ctx: Context,
  account: PaymentAccount,
  range: TimeRange,
): AsyncGenerator<ProviderObject> {
  try {
    yield* objectsOf(ctx, account, range);
  } catch (error) {
    throw error instanceof ProviderError ? paymentErrorOf(error) : error;
  }
}

/** The events of one time range after another, oldest first. */
async function* eventsByRange(
  ctx: Context,
  account: PaymentAccount,
  since: Date,
  until: Date,
): AsyncGenerator<PaymentEvent[]> {
  let rangeMs = firstRangeMs;
  let from = since;
  while (from < until) {
    const range = { from, to: new Date(Math.min(from.getTime() + rangeMs, until.getTime())) };
    const events: PaymentEvent[] = [];
    ctx.signal?.throwIfAborted();
    const pages = everyPage((from) =>
      withPaymentErrors(ctx.ports.payments.listEvents(account, { ...range, ...from }, ctx.signal)),
    );
    for await (const page of pages) events.push(...page.events);
    yield events.toReversed();
    rangeMs = nextRangeMs(rangeMs, events);
    from = range.to;
  }
}

async function targetOfEvent(ctx: Context, account: PaymentAccount, eventId: string): Promise<ReplayTarget> {
  const known = await readOne<{ subject: PaymentSubject | null; objectId: string }>(
    ctx,
    sql`
    select subject, object_id as "objectId" from payment_events where tenant_id = ${ctx.tenant.id} and id = ${eventId}`,
  );
  const found = known ?? (await findEvent(ctx, account, eventId));
  if (!found?.subject) throw notFound('payment event');
  return { subject: found.subject, objectId: found.objectId, eventIds: [eventId] };
}

async function findEvent(ctx: Context, account: PaymentAccount, eventId: string): Promise<PaymentEvent | undefined> {
  const now = ctx.clock.now();
  for await (const events of eventsByRange(ctx, account, new Date(now.getTime() - retainedMs), now)) {
    const found = events.find((event) => event.eventId === eventId);
    if (found) return found;
  }
  return undefined;
}

/** All objects of an order at the provider. The session comes first because it pays the order. */
async function* targetsOfOrder(ctx: Context, order: string): AsyncGenerator<ReplayTarget> {
  const row = await readOne<{ id: string }>(
    ctx,
    sql`
    select id from orders where tenant_id = ${ctx.tenant.id} and (id = ${order} or order_number = ${order}) limit 1`,
  );
  if (!row) throw notFound('order');
  const targets = await read<{ subject: PaymentSubject; objectId: string }>(
    ctx,
    sql`
    select 'session' as subject, provider_session_id as "objectId" from payment_sessions
      where tenant_id = ${ctx.tenant.id} and order_id = ${row.id} and provider_session_id is not null
    union all select 'subscription', min(payment_subscription_id) from subscriptions
      where tenant_id = ${ctx.tenant.id} and order_id = ${row.id} group by payment_subscription_id
    union all select 'invoice', id from payment_invoices where tenant_id = ${ctx.tenant.id} and order_id = ${row.id}
    union all select 'payment', payment_id from orders
      where tenant_id = ${ctx.tenant.id} and id = ${row.id} and payment_id is not null`,
  );
  for (const target of targets) yield { ...target, eventIds: [] };
}
