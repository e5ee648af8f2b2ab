import { transact } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/record-event.ts';
import type { Context, InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { lockReturnableOrder, type ReturnableOrder, reserveReturn } from '../orders/index.ts';
import { type MatchedItem, matchItems, sumByItem } from './match-items.ts';
import { type ReturnRecord, readReturn } from './read-returns.ts';
import type { ReturnItemInput } from './return-input.ts';
import { returnNotAllowed } from './return-not-allowed.ts';
import { notifyShopper } from './tell-shopper.ts';

/** How long after its delivery, or its payment where the delivery is unknown, an order may come back. */
const windowMs = days(30);

export interface ReturnRequest {
  readonly orderNumber: string;
  /** The address of whoever asks: it must be the order's. */
  readonly email: string;
  readonly items: readonly ReturnItemInput[];
}

/**
 * Ask to send something back. However many ask at once, never more of an item is in returns than was bought: the order
 * is locked, and its items are set aside by one conditional update.
 *
 * @throws DomainError not_found, the same for a wrong number and a wrong address; `return_not_allowed` with `reason`
 */
export async function requestReturn(ctx: Context, { orderNumber, email, items }: ReturnRequest): Promise<ReturnRecord> {
  return transact(ctx, async (ctx) => {
    const order = await lockReturnableOrder(ctx, orderNumber);
    if (!order?.email || normaliseEmail(order.email) !== normaliseEmail(email)) throw notFound('order');
    rejectUnreturnable(order, ctx.clock.now());
    const matched = matchItems(order.items, items);
    if (!(await reserveReturn(ctx, order.id, sumByItem(matched)))) {
      throw returnNotAllowed('quantity_exceeded', 'More would come back than was bought.');
    }
    const id = newId('ret');
    await insertReturn(ctx, id, order, normaliseEmail(order.email), matched);
    recordEvent(ctx, 'return.requested', id);
    const made = await readReturn(ctx, id);
    if (!made) throw new TypeError('The return that was just written is not there.');
    await notifyShopper(ctx, made);
    return made;
  });
}

function rejectUnreturnable({ status, paidAt, deliveredAt }: ReturnableOrder, now: Date): void {
  if (status === 'refunded') throw returnNotAllowed('refunded', 'This order was refunded already.');
  if (!paidAt) throw returnNotAllowed('not_paid', 'This order is not paid.');
  if (now.getTime() > (deliveredAt ?? paidAt).getTime() + windowMs) {
    throw returnNotAllowed('window_closed', 'The time in which this order could be returned is over.');
  }
}

const firstNumber = 1001;

/** Numbers rise without a gap: the counter is taken in the transaction that uses it. */
async function insertReturn(
  ctx: InTransaction,
  id: string,
  order: ReturnableOrder,
  email: string,
  items: readonly MatchedItem[],
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.tx.execute(sql`
    with counter as (
      insert into return_counters as c (tenant_id, next_number) values (${ctx.tenant.id}, ${firstNumber + 1})
      on conflict (tenant_id) do update set next_number = c.next_number + 1
      returning next_number - 1 as number),
    made as (
      insert into returns (tenant_id, id, number, order_id, order_number, email, status, created_at, updated_at)
      select ${ctx.tenant.id}, ${id}, number, ${order.id}, ${order.orderNumber}, ${email}, 'requested',
        ${now}::timestamptz, ${now}::timestamptz
      from counter)
    insert into return_items (tenant_id, return_id, position, order_item_id, variant_id, name, quantity, reason, note)
    select ${ctx.tenant.id}, ${id}, position, "itemId", "variantId", name, quantity, reason, note
    from rows from (jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      as ("itemId" text, "variantId" text, name text, quantity int, reason text, note text))
      with ordinality as i("itemId", "variantId", name, quantity, reason, note, position)`);
}
