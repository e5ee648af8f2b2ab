import { transact } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { found, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { Email, Id, IntegerLike, OmittableOrEmpty, type Static, Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import {
  lockReturnableOrder,
  OrderNumber,
  type ReturnableItem,
  type ReturnableOrder,
  reserveReturn,
} from '../orders/index.ts';
import { notifyShopper, type ReturnRecord } from './present.ts';
import { readReturn } from './read-returns.ts';
import { returnNotAllowed } from './return.ts';

/** A quantity of an order's item, named by the item or by its variant. */
const ReturnItemInput = Type.Object(
  {
    order_item_id: OmittableOrEmpty(Id('item')),
    variant_id: OmittableOrEmpty(Id('var')),
    quantity: IntegerLike({ minimum: 1, maximum: 999 }),
    reason: OmittableOrEmpty(Text(200, { examples: ['too_small'] })),
    note: OmittableOrEmpty(Text(2000, { examples: ['The rim is chipped.'] })),
  },
  { anyOf: [{ required: ['order_item_id'] }, { required: ['variant_id'] }] },
);
type ReturnItemInput = Static<typeof ReturnItemInput>;

/** A return request of a signed-in customer. */
export const OwnReturnInput = Type.Object({
  order_number: OrderNumber,
  items: Type.Array(ReturnItemInput, { minItems: 1, maxItems: 100 }),
});
export type OwnReturnInput = Static<typeof OwnReturnInput>;

/** A return request of a shopper who is not signed in: the email must be the order's. */
export const ReturnInput = Type.Object({ ...OwnReturnInput.properties, email: Email });
export type ReturnInput = Static<typeof ReturnInput>;

/** How long an order can be returned after its delivery, or after its payment where the delivery is unknown. */
const windowMs = days(30);

export interface ReturnRequest {
  readonly orderNumber: string;
  /** The shopper's email: it must be the order's. */
  readonly email: string;
  readonly items: readonly ReturnItemInput[];
}

/**
 * Request a return. Concurrent requests never return more of an item than was bought: the order is locked before its
 * items are read.
 *
 * @throws DomainError `not_found`, the same for a wrong number and a wrong email; `return_not_allowed` with `reason`
 */
export async function requestReturn(ctx: Context, { orderNumber, email, items }: ReturnRequest): Promise<ReturnRecord> {
  return transact(ctx, async (ctx) => {
    const order = found(await lockReturnableOrder(ctx, { orderNumber, email }), 'order');
    rejectUnreturnable(order, ctx.clock.now());
    const matched = matchItems(order.items, items);
    await reserveReturn(ctx, order.id, matched);
    const id = newId('ret');
    await insertReturn(ctx, id, order, matched);
    recordEvent(ctx, 'return.requested', id);
    const made = await readReturn(ctx, id);
    if (!made) throw new TypeError('The return that was just inserted is missing.');
    notifyShopper(ctx, made);
    return made;
  });
}

function rejectUnreturnable({ status, paidAt, deliveredAt }: ReturnableOrder, now: Date): void {
  if (status === 'refunded') throw returnNotAllowed('refunded', 'This order has been refunded already.');
  if (!paidAt) throw returnNotAllowed('not_paid', 'This order has not been paid.');
  if (now.getTime() > (deliveredAt ?? paidAt).getTime() + windowMs) {
    throw returnNotAllowed('window_closed', 'The return period of this order is over.');
  }
}

const firstNumber = 1001;

/** Numbers have no gaps: the counter is incremented in the transaction that uses the number. */
async function insertReturn(
  ctx: InTransaction,
  id: string,
  order: ReturnableOrder,
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
      select ${ctx.tenant.id}, ${id}, number, ${order.id}, ${order.orderNumber}, ${order.email}, 'requested',
        ${now}::timestamptz, ${now}::timestamptz
      from counter)
    insert into return_items (tenant_id, return_id, position, order_item_id, variant_id, name, quantity, reason, note)
    select ${ctx.tenant.id}, ${id}, position, "itemId", "variantId", name, quantity, reason, note
    from rows from (jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      as ("itemId" text, "variantId" text, name text, quantity int, reason text, note text))
      with ordinality as i("itemId", "variantId", name, quantity, reason, note, position)`);
}

/** A quantity of one item of the order, with the shopper's reason and note. */
export interface MatchedItem {
  readonly itemId: string;
  readonly variantId: string;
  readonly name: string;
  readonly quantity: number;
  readonly reason: string | null;
  readonly note: string | null;
}

/**
 * Match the requested items with those of the order. A variant may be in several items, so quantities are taken from
 * the first that has any left.
 *
 * @throws DomainError `invalid_request` where a line names neither item nor variant; `return_not_allowed` with the
 *   reason `not_bought`, or `quantity_exceeded` where the quantity exceeds what was bought and is in no other return
 */
function matchItems(items: readonly ReturnableItem[], wanted: readonly ReturnItemInput[]): MatchedItem[] {
  const left = new Map(items.map(({ id, quantity, returnedQuantity }) => [id, quantity - returnedQuantity]));
  return wanted.flatMap((line, index) => {
    const candidates = candidatesFor(line, index, items);
    let open = line.quantity;
    const matched = candidates.flatMap(({ id, variantId, name }): MatchedItem[] => {
      const quantity = Math.min(open, left.get(id) ?? 0);
      if (quantity === 0) return [];
      open -= quantity;
      left.set(id, (left.get(id) ?? 0) - quantity);
      return [{ itemId: id, variantId, name, quantity, reason: line.reason ?? null, note: line.note ?? null }];
    });
    if (open === 0) return matched;
    throw returnNotAllowed('quantity_exceeded', 'The quantity exceeds what was bought and not returned yet.', {
      path: `/items/${index}/quantity`,
      detail: `must be at most ${line.quantity - open}`,
    });
  });
}

function candidatesFor(line: ReturnItemInput, index: number, items: readonly ReturnableItem[]): ReturnableItem[] {
  const { order_item_id: itemId, variant_id: variantId } = line;
  if (!itemId && !variantId) {
    throw invalidRequest('Each item must name an item of the order or a variant.', {
      path: `/items/${index}/order_item_id`,
      code: 'required',
      detail: 'is required without a variant_id',
    });
  }
  const found = items.filter((item) => (!itemId || item.id === itemId) && (!variantId || item.variantId === variantId));
  if (found.length > 0) return found;
  const path = `/items/${index}/${itemId ? 'order_item_id' : 'variant_id'}`;
  throw returnNotAllowed('not_bought', 'This item is not in the order.', { path, detail: 'is not in the order' });
}
