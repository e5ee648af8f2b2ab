import { read } from '#src/database/transact.ts';
import type { TimeRange } from '#src/lib/clock.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { everyPage } from '../provider-calls.ts';
import { fetchSnapshot, isOwnObject } from '../snapshots/fetch-snapshot.ts';

/** How the sessions of a stretch of time and their orders do not agree. */
export interface SessionDrift {
  /** The session that paid it, by the order that is not paid here. */
  readonly unpaidHere: ReadonlyMap<string, string>;
  /** The orders that are paid here alone. */
  readonly unpaidThere: readonly string[];
}

/** Compare the sessions that the provider was paid with the orders that they are for, and paid orders with their sessions. */
export async function compareSessions(ctx: Context, account: PaymentAccount, range: TimeRange): Promise<SessionDrift> {
  const settled = await settledSessions(ctx, account, range);
  const paidHere = await paidAmong(ctx, [...settled.keys()]);
  const unpaidHere = new Map([...settled].filter(([orderId]) => !paidHere.has(orderId)));

  const unpaidThere: string[] = [];
  for (const { orderId, sessionId } of await paidSessions(ctx, range)) {
    // A list tells what was made at the provider in that time, which may be some time after our order.
    if (!settled.has(orderId) && !(await isPaidSession(ctx, account, sessionId))) unpaidThere.push(orderId);
  }
  return { unpaidHere, unpaidThere };
}

/** The settled sessions of ours that were made in this stretch of time, by order. */
export async function settledSessions(
  ctx: Context,
  account: PaymentAccount,
  range: TimeRange,
): Promise<Map<string, string>> {
  const settled = new Map<string, string>();
  const pages = everyPage((from) => ctx.ports.payments.listSessions(account, { ...range, ...from }, ctx.signal));
  for await (const { sessions } of pages) {
    for (const session of sessions) {
      const { orderId, sessionId, state } = session;
      if (state === 'settled' && orderId && isOwnObject(ctx, session)) settled.set(orderId, sessionId);
    }
  }
  return settled;
}

/** Of these orders, those that are paid here; one that was paid wrongly waits for a person, and is no news. */
export async function paidAmong(ctx: Context, orderIds: readonly string[]): Promise<Set<string>> {
  const rows = await read<{ id: string }>(
    ctx,
    sql`
    select o.id from orders o
      left join payment_sessions s on s.tenant_id = ${ctx.tenant.id} and s.order_id = o.id
    where o.tenant_id = ${ctx.tenant.id} and o.id = any(${orderIds})
      and (o.paid_at is not null or s.state = 'mismatched')`,
  );
  return new Set(rows.map(({ id }) => id));
}

const paidSessions = (ctx: Context, { from, to }: TimeRange) =>
  read<{ orderId: string; sessionId: string | null }>(
    ctx,
    sql`
    select o.id as "orderId", s.provider_session_id as "sessionId"
    from payment_sessions s join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = s.order_id
    where s.tenant_id = ${ctx.tenant.id} and s.created_at between ${from} and ${to} and o.paid_at is not null`,
  );

/** A slow first payment of a subscription may have been made up for on the page of its invoice: its session never says. */
async function isPaidSession(ctx: Context, account: PaymentAccount, sessionId: string | null): Promise<boolean> {
  const snapshot = sessionId ? await fetchSnapshot(ctx, account, 'session', sessionId) : undefined;
  if (snapshot?.subject !== 'session') return false;
  const { state, subscriptionId } = snapshot.session;
  if (state === 'settled' || !subscriptionId) return state === 'settled';
  const begun = await fetchSnapshot(ctx, account, 'subscription', subscriptionId);
  return begun?.subject === 'subscription' && begun.subscription.state !== 'starting';
}
