import { reportStoreDrift as reportStore } from '#jobs/payments.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, PlatformContext } from '../context.ts';
import { read, transact } from '../database.ts';
import { type Attention, lockOrder } from '../orders/index.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import type { SessionSnapshot } from '../ports/payment-snapshots.ts';
import { applyAnswer } from './apply-answer.ts';
import { askProvider } from './ask-provider.ts';
import { recordDrift } from './drift-reports.ts';
import { isOurs } from './is-ours.ts';
import { openAccount } from './open-account.ts';
import { raiseAttention } from './raise-attention.ts';
import { promiseEachStore } from './sweep-events.ts';

/** Sessions of two days, so that a day that was missed is made up for; the last hour may still be under way. */
const fromMs = hours(49);
const toMs = hours(1);
const edgeMs = minutes(5);
const pagesMax = 500;

const missing: Attention = {
  code: 'payment_missing', detail: 'It is paid here, and the payment provider has no such payment.',
};

/** What did not agree: order ids. */
export interface Drift {
  /** Paid at the provider, and not with us until now. */
  readonly unpaidHere: readonly string[];
  /** Paid with us, and not at the provider. */
  readonly unpaidThere: readonly string[];
}

/** Promise each store its daily comparison. */
export async function reportDrift(ctx: PlatformContext, { slot }: { slot: number }): Promise<void> {
  await promiseEachStore(ctx, (ctx) => enqueue(ctx, reportStore, { slot }));
}

/**
 * Compare the paid sessions of one store with its paid orders, both ways. What was paid at the provider is paid here
 * at once; an order that is paid here alone waits for a person. Either is a fault of ours, so it is told.
 */
export async function reportStoreDrift(ctx: Context): Promise<Drift> {
  const range = { from: fromNow(ctx.clock, -fromMs), to: fromNow(ctx.clock, -toMs) };
  const account = await openAccount(ctx);
  const settled = await settledSessions(ctx, account, range);
  const orders = await ordersOf(ctx, range);
  const paidHere = new Set(orders.filter(({ isPaid }) => isPaid).map(({ id }) => id));

  const drift = {
    unpaidHere: [...settled.keys()].filter((orderId) => !paidHere.has(orderId)),
    unpaidThere: orders.filter(({ id, isPaid, isAtEdge }) => isPaid && !isAtEdge && !settled.has(id)).map(({ id }) => id),
  };
  // First: what is put right below would not be found again by a run that begins anew.
  await recordDrift(ctx, range, drift);
  for (const orderId of drift.unpaidHere) await settleHere(ctx, account, settled.get(orderId) ?? '');
  for (const orderId of drift.unpaidThere) await raise(ctx, orderId);
  const count = drift.unpaidHere.length + drift.unpaidThere.length;
  if (count > 0) ctx.log.error({ code: 'payment_drift', ...drift }, 'orders and payments did not agree');
  return drift;
}

/** The settled sessions of ours that were made in this stretch of time, by order. */
async function settledSessions(ctx: Context, account: PaymentAccount, range: Stretch): Promise<Map<string, string>> {
  const settled = new Map<string, string>();
  let next: string | null | undefined;
  for (let page = 0; page < pagesMax && next !== null; page += 1) {
    const found: { sessions: readonly SessionSnapshot[]; next: string | null } =
      await ctx.ports.payments.listSessions(account, { ...range, ...(next && { next }) }, ctx.signal);
    for (const session of found.sessions) {
      const { orderId, sessionId, state } = session;
      if (state === 'settled' && orderId && isOurs(ctx, session)) settled.set(orderId, sessionId);
    }
    next = found.next;
  }
  return settled;
}

interface Stretch {
  readonly from: Date;
  readonly to: Date;
}

interface ComparedOrder {
  readonly id: string;
  readonly isPaid: boolean;
  /** The provider dates a session itself: near the edge it may lie beyond it, and that proves nothing. */
  readonly isAtEdge: boolean;
}

async function ordersOf(ctx: Context, { from, to }: Stretch): Promise<ComparedOrder[]> {
  const shifted = (moment: Date, milliseconds: number) => new Date(moment.getTime() + milliseconds);
  return read<ComparedOrder>(ctx, sql`
    select o.id, o.paid_at is not null or s.state = 'mismatched' as "isPaid",
      s.created_at < ${shifted(from, edgeMs)} or s.created_at > ${shifted(to, -edgeMs)} or s.state = 'mismatched' as "isAtEdge"
    from payment_sessions s join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = s.order_id
    where s.tenant_id = ${ctx.tenant.id} and s.created_at between ${shifted(from, -edgeMs)} and ${shifted(to, edgeMs)}`);
}

async function settleHere(ctx: Context, account: PaymentAccount, sessionId: string): Promise<void> {
  const answer = await askProvider(ctx, account, 'session', sessionId);
  if (answer) await transact(ctx, (ctx) => applyAnswer(ctx, answer));
}

async function raise(ctx: Context, orderId: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order) await raiseAttention(ctx, order, missing);
  });
}
