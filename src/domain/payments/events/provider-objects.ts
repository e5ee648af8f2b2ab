import { read } from '#src/database/transact.ts';
import type { TimeRange } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount, PaymentSubject } from '../../ports/payment-gateway.ts';
import { paidRenewals, renewalOrdersOf } from '../drift/compare-renewals.ts';
import { paidAmong, settledSessions } from '../drift/compare-sessions.ts';
import { everyPage } from '../provider-calls.ts';
import { sessionLifeMs, slowPaymentMs } from '../sessions/payment-session.ts';

/** The longest time from the creation of a session to its payment. */
const payableMs = sessionLifeMs + slowPaymentMs;

/** An object at the provider. */
export interface ProviderObject {
  readonly subject: PaymentSubject;
  readonly objectId: string;
}

/**
 * The objects that events of a time range can have been about, for a range whose events the provider no longer lists:
 * paid sessions and renewals without an order, payments that were refunded or disputed, and every subscription that may
 * have changed. The provider never deletes these objects.
 */
export async function* objectsOf(
  ctx: Context,
  account: PaymentAccount,
  range: TimeRange,
): AsyncGenerator<ProviderObject> {
  yield* unknownSales(ctx, account, { from: payableFrom(range.from), to: range.to });
  yield* changedObjects(ctx, account, range);
}

/** The creation time of the oldest session whose money can have arrived from this moment on. */
export const payableFrom = (moment: Date): Date => new Date(moment.getTime() - payableMs);

/** The paid sessions that were created within a range and whose orders are not paid here. */
export async function* unknownSales(
  ctx: Context,
  account: PaymentAccount,
  range: TimeRange,
): AsyncGenerator<ProviderObject> {
  const settled = await settledSessions(ctx, account, range);
  const paid = await paidAmong(ctx, [...settled.keys()]);
  for (const [orderId, objectId] of settled) {
    if (!paid.has(orderId)) yield { subject: 'session', objectId };
  }
}

/** The objects that can have changed within a range otherwise than by the first payment of an order. */
export async function* changedObjects(
  ctx: Context,
  account: PaymentAccount,
  { from, to }: TimeRange,
): AsyncGenerator<ProviderObject> {
  const renewals = await paidRenewals(ctx, account, { from, to });
  const made = await renewalOrdersOf(ctx, [...renewals]);
  for (const objectId of renewals) {
    if (!made.has(objectId)) yield { subject: 'invoice', objectId };
  }

  for (const objectId of await reversedPayments(ctx, account, { from, to })) yield { subject: 'payment', objectId };

  // An hour more than the range: the clocks of the processes that fetched them may differ.
  const subscriptions = await read<{ id: string }>(
    ctx,
    sql`
    select distinct payment_subscription_id as id from subscriptions
    where tenant_id = ${ctx.tenant.id} and status <> 'canceled'
      and requested_at < ${new Date(to.getTime() + hours(1))}
    order by id`,
  );
  for (const { id: objectId } of subscriptions) yield { subject: 'subscription', objectId };
}

/** Disputes are listed by when they were opened, so those that are open here are checked, too: they may be over. */
async function reversedPayments(ctx: Context, account: PaymentAccount, range: TimeRange): Promise<Set<string>> {
  const disputed = await read<{ id: string }>(
    ctx,
    sql`
    select payment_id as id from orders
    where tenant_id = ${ctx.tenant.id} and dispute_status = 'open' and payment_id is not null`,
  );
  const found = new Set(disputed.map(({ id }) => id));
  for (const kind of ['refund', 'dispute'] as const) {
    const pages = everyPage((from) =>
      ctx.ports.payments.listReversals(account, kind, { ...range, ...from }, ctx.signal),
    );
    for await (const { references } of pages) references.forEach((reference) => found.add(reference));
  }
  return found;
}
