import { setTimeout as sleep } from 'node:timers/promises';
import { transact } from '#src/database/transact.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
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

/** A click that came just before this one is let finish: it gets its answer, and its session can be closed. */
const openingWaitMs = seconds(3);
const pollIntervalMs = 100;

/**
 * The caller wants a new session: the older one is closed at the provider, and only then what it held is given back.
 * One that was not answered cannot be closed yet, because nobody knows its name. Nor can it be paid: its address was
 * told to nobody, and from here on nobody will be told. So of all that a shopper was ever given, the newest alone can
 * be paid.
 *
 * `'changed'` when the older one is not as it was, as when they were done with it already: then the new request has to be
 * judged by what is so now.
 *
 * @throws DomainError when the provider cannot be asked
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
    const snapshot = await ctx.ports.payments.expireSession(account, session.sessionId, ctx.signal);
    const answer = await snapshotOfSession(ctx, account, snapshot);
    await transact(ctx, (ctx) => applySnapshot(ctx, answer));
    return snapshot.state === 'expired' ? 'gone' : 'changed';
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure !== 'missing') throw paymentErrorOf(error);
    // This account never had it: the store has another one since.
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

/** Longer than any request lasts: a session that is still without an answer then belongs to a request that failed. */
const requestMs = seconds(30);

/** How long a request that names itself can be sent again to continue the order that an earlier try began. */
export const continuableMs = minutes(10);

/** How long after it was written a session without an answer is abandoned. */
export const abandonedAfterMs = ({ requestKey }: { readonly requestKey: string | null }): number =>
  requestKey === null ? requestMs : continuableMs;

/**
 * Release what the order of an unanswered session holds. Its payment page cannot be paid: the URL was never returned
 * to the shopper, and from here on it will not be. The session itself is closed by its repair, once the provider tells
 * whether it exists.
 *
 * `'changed'` when the session has been answered just now.
 */
export async function abandonSession(ctx: Context, orderId: string): Promise<'gone' | 'changed'> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (!(await markSuperseded(ctx, orderId))) return 'changed';
    if (order) await endOrder(ctx, order, 'expired');
    return 'gone';
  });
}
