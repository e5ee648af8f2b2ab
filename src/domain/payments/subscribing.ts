import { awaitAll } from '#src/lib/await-all.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';

/** Whose subscriptions a session would begin, by the address that its checkout was given, and to which products. */
export interface Subscribing {
  /** Trimmed, lower case. */
  readonly subscriber: string;
  readonly productIds: readonly string[];
}

/** A session that can be paid and would begin subscriptions. */
export interface SubscribingSession {
  readonly orderId: string;
  readonly productIds: readonly string[];
}

const canBePaid = sql`state in ('creating', 'open') and superseded_at is null`;

/** All of this address, as JSON, as a part of another statement. */
export const subscribingSessionsOf = (ctx: Context, email: string | null): Sql => sql`
  (select coalesce(json_agg(json_build_object('orderId', order_id, 'productIds', subscribes) order by order_id), '[]')
    from payment_sessions where tenant_id = ${ctx.tenant.id} and subscriber = ${email} and ${canBePaid})`;

/**
 * Whether another session that can be paid would begin one of these. Nobody else is answered for this address until the
 * transaction is over, so the one after this sees what this one did. Call it first of all.
 */
export async function isBeingSubscribed(ctx: InTransaction, { subscriber, productIds }: Subscribing): Promise<boolean> {
  const lock = `subscriber ${ctx.tenant.id} ${subscriber}`;
  const locked = ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
  const [, others] = await awaitAll(
    locked,
    ctx.tx.execute(sql`
    select 1 from payment_sessions where tenant_id = ${ctx.tenant.id} and subscriber = ${subscriber}
      and subscribes && ${productIds} and ${canBePaid} limit 1`),
  );
  return others.length > 0;
}
