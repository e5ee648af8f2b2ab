import { read } from '#src/database/transact.ts';
import type { TimeRange } from '#src/lib/clock.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { everyPage } from '../provider-calls.ts';
import { fetchSnapshot, isOwnObject } from '../snapshots/fetch-snapshot.ts';

/** Sessions and orders of a time range that do not agree. */
export interface SessionDrift {
  /** Sessions that were paid, by the id of their order, which is not paid here. */
  readonly unpaidHere: ReadonlyMap<string, string>;
  /** The orders that are paid here and not at the provider. */
  readonly unpaidThere: readonly string[];
}

/** Compare the paid sessions with their orders, and the paid orders with their sessions. */
export async function compareSessions(ctx: Context, account: PaymentAccount, range: TimeRange): Promise<SessionDrift> {
  const settled = await settledSessions(ctx, account, range);
  const paidHere = await paidAmong(ctx, [...settled.keys()]);
  const unpaidHere = new Map([...settled].filter(([orderId]) => !paidHere.has(orderId)));

  const unpaidThere: string[] = [];
  for (const { orderId, sessionId } of await paidSessions(ctx, range)) {
    // The provider may have created the session after this time range, some time after our order.
    if (!settled.has(orderId) && !(await isPaidSession(ctx, account, sessionId))) unpaidThere.push(orderId);
  }
  return { unpaidHere, unpaidThere };
}

/** The settled own sessions that were created in this time range, by order id. */
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

/** Those of these orders that are paid here, or were paid a wrong amount: the latter are flagged already. */
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

/** The first period of a subscription may have been paid on its invoice's page: then the session stays unpaid. */
async function isPaidSession(ctx: Context, account: PaymentAccount, sessionId: string | null): Promise<boolean> {
  const snapshot = sessionId ? await fetchSnapshot(ctx, account, 'session', sessionId) : undefined;
  if (snapshot?.subject !== 'session') return false;
  const { state, subscriptionId } = snapshot.session;
  if (state === 'settled' || !subscriptionId) return state === 'settled';
  const begun = await fetchSnapshot(ctx, account, 'subscription', subscriptionId);
  return begun?.subject === 'subscription' && begun.subscription.state !== 'starting';
}
