import { isEmailAddress } from '#src/lib/email-address.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../../context.ts';
import { enqueueMail } from '../../mail/index.ts';
import { type Order, readOrder, saveOrder } from '../../orders/index.ts';
import type { MadeRefund } from '../../ports/payment-snapshots.ts';

/**
 * Email the shopper about each refund once, wherever it was made. The last one names what the gift card got with it. A
 * refund of a return is in the email about the return. Call with the order locked.
 */
export async function emailRefunds(
  ctx: InTransaction,
  order: Order,
  { refunds, cardCents }: { readonly refunds: readonly MadeRefund[]; readonly cardCents: number },
): Promise<void> {
  const unknown = refunds.filter(({ id }) => !order.reportedRefunds.includes(id)).toReversed();
  if (unknown.length === 0) return;
  order.reportedRefunds = [...order.reportedRefunds, ...unknown.map(({ id }) => id)];
  await saveOrder(ctx, order);
  const ofReturns = await refundsOfReturns(ctx, unknown);
  const made = unknown.filter(({ refundId }) => !ofReturns.has(refundId));
  for (const [index, { amountCents }] of made.entries())
    await emailRefund(ctx, order, { amountCents, cardCents: index === made.length - 1 ? cardCents : 0 });
}

async function refundsOfReturns(
  ctx: InTransaction,
  refunds: readonly MadeRefund[],
): Promise<ReadonlySet<string | null>> {
  const ids = refunds.flatMap(({ refundId }) => refundId ?? []);
  if (ids.length === 0) return new Set();
  const rows = await ctx.tx.execute<{ id: string }>(sql`
    select id from payment_refunds where tenant_id = ${ctx.tenant.id} and id = any(${ids}) and return_id is not null`);
  return new Set(rows.map(({ id }) => id));
}

/** Nothing is sent of an order without an email, such as that of a person who was erased. The order is saved. */
export async function emailRefund(
  ctx: InTransaction,
  { id: subjectId, email }: Order,
  { amountCents, cardCents }: { readonly amountCents: number; readonly cardCents: number },
): Promise<void> {
  if (!email || !isEmailAddress(email)) return;
  const order = await readOrder(ctx, subjectId);
  if (!order) return;
  const refund = { amount_cents: amountCents, gift_card_cents: cardCents };
  enqueueMail(ctx, { kind: 'refunded', to: email, subjectId, data: { ...order, refund } });
}
