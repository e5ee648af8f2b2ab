import { setTimeout as sleep } from 'node:timers/promises';
import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import {
  applySnapshot,
  endSession,
  type PaymentSession,
  paymentErrorOf,
  readSession,
  snapshotOfSession,
} from '../payments/index.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { abandonSession } from './abandon-session.ts';

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
