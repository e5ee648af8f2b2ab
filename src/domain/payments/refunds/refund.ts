import { read, readOne } from '#src/database/transact.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Cents, Currency, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';

/** A refund of an order's money. */
export type Refund = RowOf<typeof RefundView>;

/** @returns `undefined` when the store has no refund with this id */
export async function readRefund(ctx: Context, id: string): Promise<Refund | undefined> {
  return readOne<Refund>(ctx, sql`${select(ctx)} and r.id = ${id}`);
}

/** The refunds of an order, oldest first. */
export async function refundsOf(ctx: Context, orderId: string): Promise<Refund[]> {
  return read<Refund>(ctx, sql`${select(ctx)} and r.order_id = ${orderId} order by r.id`);
}

const select = (ctx: Context): Sql => sql`
  select r.id, r.order_id as "orderId", r.return_id as "returnId", r.state, r.amount_cents as "amountCents", o.currency,
    r.reason, r.failure, r.created_at as "createdAt", r.settled_at as "settledAt"
  from payment_refunds r join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = r.order_id
  where r.tenant_id = ${ctx.tenant.id}`;

export const RefundView = Type.Object(
  {
    id: Id('rfd'),
    order_id: Id('ord'),
    /** The return that it belongs to. */
    return_id: Nullable(Id('ret')),
    /**
     *   requested   stored; the provider has not responded yet
     *   sent        the provider accepted it
     *   refused     the provider declined it, and the order is flagged
     *   failed      the provider accepted it, but the money came back, and the order is flagged
     */
    state: Type.Enum(['requested', 'sent', 'refused', 'failed']),
    amount_cents: Cents,
    currency: Currency,
    /** Why, in the owner's words. */
    reason: Nullable(Type.String({ examples: ['Arrived with a crack'] })),
    /** The provider's code of why it declined, why the refund failed, or, while it is requested, why it waits. */
    failure: Nullable(Type.String({ examples: [null] })),
    created_at: Timestamp,
    settled_at: Nullable(Timestamp),
  },
  { title: 'Refund' },
);
export type RefundView = Static<typeof RefundView>;

export function presentRefund(refund: Refund): RefundView {
  return presentAs(RefundView, refund);
}
