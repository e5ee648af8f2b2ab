import { purchaseLabel } from '#jobs/labels.ts';
import { fromNow } from '#src/lib/clock.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import { notFound } from '#src/lib/errors.ts';
import { orderForShipping, recordFulfillment } from '../orders/index.ts';
import type { LabelState } from './label.ts';

/**
 * Promise a label for an order that was paid. Whatever stands in its way is found out by the job: nothing here can
 * hold the order up. Goods that do not ship need none, and the order says so.
 *
 * An order has one label: asking again changes nothing.
 */
export async function requestLabel(ctx: InTransaction, { orderId }: { orderId: string }): Promise<void> {
  const order = await orderForShipping(ctx, orderId);
  if (!order) throw notFound('order');
  const ships = order.items.some((item) => item.ships);
  const labelId = await insertLabel(ctx, { orderId, orderNumber: order.orderNumber, state: ships ? 'queued' : 'skipped' });
  if (!labelId) return;
  if (ships) {
    const [firstWaitMs = 0] = ctx.settings.labelRetryScheduleMs;
    enqueue(ctx, purchaseLabel, { labelId, attempt: 1 }, { dueAt: fromNow(ctx.clock, firstWaitMs) });
  } else {
    await recordFulfillment(ctx, orderId, { status: 'not_required' });
  }
}

/** The id of the order's new label; `undefined` when it has one. */
export async function insertLabel(
  ctx: InTransaction,
  { orderId, orderNumber, state }: { orderId: string; orderNumber: string; state: LabelState },
): Promise<string | undefined> {
  const now = ctx.clock.now();
  const [row] = await ctx.tx.run<{ id: string }>(sql`
    insert into labels (tenant_id, id, order_id, order_number, state, reason_code, attempt, tries, chosen_by_person,
      buy_number, rechecks, version, created_at, updated_at)
    values (${ctx.tenant.id}, ${newId('lbl')}, ${orderId}, ${orderNumber}, ${state},
      ${state === 'skipped' ? 'not_required' : null}, 1, 0, false, 0, 0, 1, ${now}, ${now})
    on conflict (tenant_id, order_id) where state <> 'voided' do nothing
    returning id`);
  return row?.id;
}
