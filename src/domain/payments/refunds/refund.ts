import { read, readOne } from '#src/database/transact.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Cents, Currency, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';

/**
 *   requested   stored; the provider has not responded yet
 *   sent        the provider accepted it
 *   refused     the provider declined it, and the order is flagged
 *   failed      the provider accepted it, but the money came back, and the order is flagged
 */
const refundStates = ['requested', 'sent', 'refused', 'failed'] as const;
export type RefundState = (typeof refundStates)[number];

/** A refund of an order's money. */
export interface Refund {
  readonly id: string;
  readonly orderId: string;
  /** The return that it belongs to. */
  readonly returnId: string | null;
  readonly state: RefundState;
  readonly amountCents: number;
  readonly currency: string;
  /** Why, in the owner's words. */
  readonly reason: string | null;
  /** The provider's code of why it declined, why the refund failed, or, while it is requested, why it waits. */
  readonly failure: string | null;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
}

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
    return_id: Nullable(Id('ret')),
    state: Type.Enum([...refundStates]),
    amount_cents: Cents,
    currency: Currency,
    reason: Nullable(Type.String({ examples: ['Arrived with a crack'] })),
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
