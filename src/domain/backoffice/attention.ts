import { asPlatform, transact } from '#src/database/transact.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, PlatformContext } from '../context.ts';
import { lockOrder, saveOrder } from '../orders/index.ts';
import { isReasonCode, reasons } from '../shipping/index.ts';
import { type AdminArea, isOfStore } from '../tenants/index.ts';

/** One attention of an order. */
export interface OrderNeedingAttention {
  readonly tenantId: string;
  readonly id: string;
  readonly orderNumber: string;
  readonly code: string;
  readonly detail: string;
  readonly updatedAt: Date;
}

/**
 * Each open attention of an order that no other page shows, as part of another statement: `tenant_id`, `id`,
 * `order_number`, `created_at`, `updated_at`, `code` and `detail`. Attentions of labels are shown with the label.
 */
export const openAttentions = sql`
  select o.tenant_id, o.id, o.order_number, o.created_at, o.updated_at, a.code, a.detail
  from orders o cross join lateral jsonb_to_recordset(o.attentions) as a(code text, detail text)
  where o.attentions <> '[]'
    and not exists (select from labels l where l.tenant_id = o.tenant_id and l.order_id = o.id
      and l.state = 'needs_attention' and l.reason_code = a.code)
    and not (a.code = 'duplicate_voided' and exists (
      select from unused_labels u join labels l on l.tenant_id = u.tenant_id and l.id = u.label_id
      where u.tenant_id = o.tenant_id and l.order_id = o.id and u.acknowledged_at is null))`;

/** The attentions of the orders of every store, except those that are shown with a label. */
export async function ordersNeedingAttention(ctx: PlatformContext, limit: number): Promise<OrderNeedingAttention[]> {
  return asPlatform(ctx, 'operators see the orders of every store that need attention', (ctx) =>
    ctx.tx.execute<OrderNeedingAttention>(sql`
      select tenant_id as "tenantId", id, order_number as "orderNumber", code, detail, updated_at as "updatedAt"
      from (${openAttentions}) as open where ${isOfStore(sql`tenant_id`)} order by code, id limit ${limit}`),
  );
}

/** What has happened, and what to do about it. */
export interface Advice {
  readonly message: string;
  readonly next: string;
  /** The areas that a member must be allowed to change, to do all of it. */
  readonly areas: readonly AdminArea[];
}

/** Each attention that is not a label's. The codes are part of the API: a released one never changes. */
const advice: Readonly<Record<string, Advice>> = {
  amount_mismatch: {
    message: 'The payment of an order is not of its amount.',
    next: 'Compare the payment with the order at the payment provider, and refund it there if it is wrong.',
    areas: ['refunds'],
  },
  paid_twice: {
    message: 'An order was paid twice.',
    next: 'Refund one of the two payments at the payment provider.',
    areas: ['refunds'],
  },
  duplicate_subscription: {
    message: 'A shopper subscribed to the same product twice.',
    next: 'Ask the shopper which of the two to keep, then cancel and refund the other one.',
    areas: ['refunds', 'customers'],
  },
  renewal_unknown: {
    message: 'A period of a subscription was paid, but it is unknown for which goods.',
    next: 'Check the subscription at the payment provider: send what was paid for, or refund it.',
    areas: ['refunds'],
  },
  payment_missing: {
    message: 'The payment of an order is missing.',
    next: 'Find the payment at the payment provider before anything else is sent.',
    areas: ['refunds'],
  },
  gift_card_spent: {
    message: 'An order was paid after its gift card was spent elsewhere.',
    next: 'Ask the shopper for the difference, or refund the order.',
    areas: ['refunds'],
  },
  gift_card_disabled: {
    message: 'A refund went to a gift card that is disabled.',
    next: 'Give the shopper a new gift card with the amount that was returned, or pay it in another way.',
    areas: ['promotions'],
  },
  refund_failed: {
    message: 'A refund failed.',
    next:
      'Check the payment at the payment provider, then refund it again or pay the shopper in another way. ' +
      'If you ship the order instead, first take out of stock what the refund put back, if anything.',
    areas: ['refunds'],
  },
  disputed: {
    message: "A shopper's bank disputes a payment.",
    next:
      'Respond to the dispute at the payment provider before its deadline. Keep goods that have not been sent until it is ' +
      'over.',
    areas: ['refunds'],
  },
  dispute_lost: {
    message: 'A dispute was lost.',
    next: 'The payment was lost. If the goods have not been sent yet, do not send them.',
    areas: [],
  },
  shipped_after_refund: {
    message: 'A parcel moved after its order was refunded.',
    next: 'Stop the parcel or agree with the shopper on its return, and correct the stock.',
    areas: [],
  },
  duplicate_voided: {
    message: 'A second label was purchased for an order.',
    next: 'Use the first label and throw the other one away.',
    areas: ['labels'],
  },
  parcel_returned: {
    message: 'A parcel came back to its sender.',
    next:
      'Ask the shopper for the right address. Send the goods again with a second label and add it to the parcels of the ' +
      'order, or refund the order and put the goods in stock again.',
    areas: ['labels', 'refunds'],
  },
  parcel_failed: {
    message: 'A parcel could not be delivered.',
    next:
      'Ask the carrier for the reason. If the parcel is lost, send the goods again with a second label and add it to the ' +
      'parcels of the order, or refund the order.',
    areas: ['labels', 'refunds'],
  },
  parcel_overdue: {
    message: 'A parcel has been on its way for three weeks.',
    next:
      'Check its number, and ask the carrier where it is. If it is lost, send the goods again with a second label and add ' +
      'it to the parcels of the order, or refund the order.',
    areas: ['labels', 'refunds'],
  },
};

const otherwise: Advice = {
  message: "An order's payment or stock needs a decision.",
  next: 'Check the order and its payment.',
  areas: ['refunds'],
};

/** What has happened to an order that needs attention, by the attention's code. */
export function adviceForOrder(code: string): Advice {
  return isReasonCode(code) ? reasons[code] : (advice[code] ?? otherwise);
}

/** What to do about an order that needs attention, by the attention's code. */
export const nextStep = (code: string): string => adviceForOrder(code).next;

/**
 * Dismiss one attention of an order. The others stay open. Dismissing the last one twice is harmless.
 * @throws DomainError `not_found`, or `version_conflict` when only attentions with other codes are open
 */
export async function dismissAttention(
  ctx: Context,
  { orderId, code }: { orderId: string; code: string },
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = found(await lockOrder(ctx, orderId), 'order');
    if (order.attentions.length === 0) return;
    const attention = order.attentions.find((open) => open.code === code);
    if (!attention)
      throw new DomainError('conflict', 'version_conflict', 'The order needs attention for another reason now.');
    order.resolve(code);
    await saveOrder(ctx, order);
    await recordAudit(ctx, {
      action: 'order.attention_dismissed',
      subjectKind: 'order',
      subjectId: orderId,
      before: { ...attention },
    });
  });
}
