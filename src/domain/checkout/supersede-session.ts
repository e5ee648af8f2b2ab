import { setTimeout as sleep } from 'node:timers/promises';
import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { lockOrder } from '../orders/index.ts';
import {
  applySnapshot,
  endOrder,
  endSession,
  markSuperseded,
  type PaymentSession,
  paymentErrorOf,
  readSession,
  snapshotOfSession,
} from '../payments/index.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';

/** A request just before this one gets this time to finish: then its session has an id and can be closed. */
const openingWaitMs = seconds(3);
const pollIntervalMs = 100;

/**
 * Close the older session of a caller who wants a new one: first at the provider, then the holds of its order are
 * released. A session without a response cannot be closed yet, because its id is unknown. It cannot be paid either: its
 * URL was never returned, and will not be. So of all sessions that a shopper got, only the newest can be paid.
 *
 * @returns `'changed'` when the older session changed meanwhile, such as by a payment: the new request starts again
 * @throws DomainError when a call to the provider fails
 */
export async function supersedeSession(
  ctx: Context,
  account: PaymentAccount,
  orderId: string,
): Promise<'gone' | 'changed'> {
  const session = await awaitOpening(ctx, account, orderId);
  if (!session || (session.state !== 'creating' && session.state !== 'open')) return 'changed';
  if (!session.sessionId) return abandonSession(ctx, orderId);
  try {
    const sessionSnapshot = await ctx.ports.payments.expireSession(account, session.sessionId, ctx.signal);
    const snapshot = await snapshotOfSession(ctx, account, sessionSnapshot);
    await transact(ctx, (ctx) => applySnapshot(ctx, snapshot));
    return sessionSnapshot.state === 'expired' ? 'gone' : 'changed';
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure !== 'missing') throw paymentErrorOf(error);
    // This account never had it: the store has changed its account since.
    await transact(ctx, (ctx) => endSession(ctx, session, 'expired'));
    return 'gone';
  }
}

async function awaitOpening(
  ctx: Context,
  { endsAt = Infinity }: PaymentAccount,
  orderId: string,
): Promise<PaymentSession | undefined> {
  const until = Math.min(performance.now() + openingWaitMs, endsAt);
  for (;;) {
    const session = await readSession(ctx, orderId);
    if (session?.state !== 'creating' || performance.now() > until) return session;
    await sleep(pollIntervalMs);
  }
}

/**
 * Close the order of a session without a response, and release its holds. The session cannot be paid: its URL was never
 * returned to the shopper, and will not be. The repair closes the session itself, once it knows whether it exists.
 *
 * @returns `'changed'` when the provider responded just now
 */
export async function abandonSession(ctx: Context, orderId: string): Promise<'gone' | 'changed'> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (!(await markSuperseded(ctx, orderId))) return 'changed';
    if (order) await endOrder(ctx, order, 'expired');
    return 'gone';
  });
}
