import { writeRows } from '#src/database/transact.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { type EventInput, paidType } from './event-input.ts';

/** An event in a stored batch: as it was sent, with its id and its corrected time. */
export interface StoredEvent extends Omit<EventInput, 'event_id' | 'occurred_at'> {
  readonly id: string;
  readonly at: Date;
}

/** The origin of a batch. */
export interface BatchHead {
  readonly receivedAt: Date;
  /** `ledger`: recorded by the service itself. */
  readonly source: 'client' | 'ledger';
  readonly bot: boolean;
  readonly visitor: string | null;
}

/** Store a batch as one row, until a worker aggregates it. */
export async function storeBatch(ctx: Context, head: BatchHead, events: readonly StoredEvent[]): Promise<void> {
  await writeRows(ctx, sql`${insertBatch(ctx, head, events)} returning 1`);
}

const insertBatch = (
  ctx: Context,
  { receivedAt, source, bot, visitor }: BatchHead,
  events: readonly StoredEvent[],
): Sql => sql`
  insert into analytics_batches (tenant_id, id, received_at, source, bot, visitor, event_count, events)
  values (${ctx.tenant.id}, ${newId('bat')}, ${receivedAt}, ${source}, ${bot}, ${visitor}, ${events.length},
    ${JSON.stringify(events)})`;

/** A paid order. */
export interface Sale {
  readonly orderId: string;
  /** When the order says that it was paid: it counts on that day. */
  readonly paidAt: Date;
  /** Minor units of `currency`. */
  readonly totalCents: number;
  readonly currency: string;
  readonly customerId?: string | null;
  readonly cartId?: string | null;
  /** The buyer's storefront session. If it is unknown, the order counts as a session of its own. */
  readonly sessionId?: string | null;
  /** A subscription's renewal is revenue, but not a step of the funnel. */
  readonly isRenewal?: boolean | undefined;
}

/**
 * Record a paid order for the analytics, in the transaction that marks it as paid. Only these events count as revenue.
 * Idempotent for each order.
 */
export function recordOrderPaid(ctx: InTransaction, sale: Sale): void {
  const { orderId, paidAt, totalCents, currency, isRenewal } = sale;
  const { customerId = null, cartId = null, sessionId = null } = sale;
  const visitor = isRenewal ? null : orderId;
  const head = { receivedAt: ctx.clock.now(), source: 'ledger', bot: false, visitor } as const;
  const event = {
    // The id is secret, so a client cannot send an event with it beforehand.
    id: hmacSha256(ctx.settings.keyPepper, JSON.stringify([paidType, ctx.tenant.id, orderId]))
      .toString('hex')
      .slice(0, 32),
    at: paidAt,
    type: paidType,
    session_id: isRenewal ? null : sessionId,
    customer_id: customerId,
    order_id: orderId,
    cart_id: cartId,
    value_cents: totalCents,
    currency,
  };
  ctx.tx.changes.push(insertBatch(ctx, head, [event]));
}
