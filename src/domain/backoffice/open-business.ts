import { refundDuplicate, refundUnusedLabel } from '#jobs/labels.ts';
import { checkReactivation } from '#jobs/payments.ts';
import { readOneOrFail } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { openJobsOf } from '#src/outbox/queue-states.ts';
import type { Context } from '../context.ts';
import { isAnySent } from '../orders/index.ts';

/** What of a store goes on although it is closed. */
export interface OpenBusiness {
  /** Subscriptions at the payment provider that are or may be charged again, or that it still tries to charge. */
  readonly subscriptions: number;
  /** Checkouts that can be paid, or whose payment is on its way. */
  readonly checkouts: number;
  /** Until when the last of those can be paid that wait for their shopper. */
  readonly payableUntil: Date | null;
  /** Refunds that the payment provider has not accepted or declined yet. */
  readonly refunds: number;
  /** Labels that are being bought, voided or refunded, or of which it is not known whether they were. */
  readonly labels: number;
  /** Orders that were paid and not sent. */
  readonly unsentOrders: number;
}

/** Jobs that have the carrier refund labels which nobody needs. */
const refundsOfLabels = [refundUnusedLabel.name, refundDuplicate.name];

/** Count what of a store is not at its end. */
export async function readOpenBusiness(ctx: Context): Promise<OpenBusiness> {
  const ofStore = sql`tenant_id = ${ctx.tenant.id}`;
  const payable = sql`payment_sessions where ${ofStore} and state in ('creating', 'open')`;
  return readOneOrFail<OpenBusiness>(
    ctx,
    sql`
    select
      (select count(distinct payment_subscription_id)::int from subscriptions
        where ${ofStore} and status <> 'canceled' and (
          status = 'past_due' or not cancel_at_period_end or payment_subscription_id in (
            select payload ->> 'paymentSubscriptionId'
            from (${openJobsOf(ctx.tenant.id, [checkReactivation.name])}) as job))) as subscriptions,
      (select count(*)::int from payment_sessions
        where ${ofStore} and state in ('creating', 'open', 'processing')) as checkouts,
      (select max(expires_at) from ${payable}) as "payableUntil",
      (select count(*)::int from payment_refunds where ${ofStore} and state = 'requested') as refunds,
      (select count(*)::int from (
        select id from labels
        where ${ofStore} and (state in ('rate_chosen', 'buying') or buying_since is not null or voiding_since is not null
          or lease_expires_at > ${ctx.clock.now()})
        union
        select coalesce(payload ->> 'labelId', payload ->> 'purchaseId')
        from (${openJobsOf(ctx.tenant.id, refundsOfLabels)}) as job) as unsettled) as labels,
      -- Of orders with a return that was approved, some are not sent at all; of most, no item has to be read.
      (select count(*)::int from orders o
        where ${ofStore} and status in ('paid', 'partially_refunded')
          and fulfillment_status in ('unfulfilled', 'needs_attention', 'label_purchased')
          and (not exists (
              select from returns r
              where r.tenant_id = o.tenant_id and r.order_id = o.id and r.approved_at is not null)
            or ${isAnySent})) as "unsentOrders"`,
  );
}

/** What is in progress at the payment provider, with what to do about it. */
export function describeOpenPayments({ subscriptions, checkouts, refunds }: OpenBusiness): string[] {
  return [
    ...(subscriptions > 0 ? [`subscriptions that Stripe still charges: ${subscriptions} (cancel them)`] : []),
    ...(checkouts > 0 ? [`checkouts that can still be paid: ${checkouts} (wait until they have expired)`] : []),
    ...(refunds > 0 ? [`refunds that Stripe has not accepted yet: ${refunds} (wait for them)`] : []),
  ];
}

/** The same at the shipping provider. */
export function describeOpenLabels({ labels }: OpenBusiness): string[] {
  return labels > 0 ? [`labels that are being bought or voided, or may have been: ${labels} (wait for them)`] : [];
}
