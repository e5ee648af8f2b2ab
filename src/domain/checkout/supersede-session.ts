import { setTimeout as sleep } from 'node:timers/promises';

import { seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { lockOrder } from '../orders/index.ts';
import {
  answerOfSession, applyAnswer, endOrder, markOver, markSuperseded, type PaymentSession, readSession, refusalOf,
} from '../payments/index.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';

/** A click that came just before this one is let finish, so that what it holds can be given back first. */
const patienceMs = seconds(3);
const lookEveryMs = 100;

/**
 * The caller wants a new session: his older one is closed at the provider, and only then what it held is given back.
 * `'paid'` when he was already done with it: then his new request has to be judged by what is so now.
 *
 * @throws DomainError when the provider cannot be asked
 */
export async function supersedeSession(ctx: Context, account: PaymentAccount, orderId: string): Promise<'gone' | 'paid'> {
  const session = await answered(ctx, orderId);
  if (!session || (session.state !== 'creating' && session.state !== 'open')) return 'paid';
  if (!session.sessionId) {
    // Nobody knows yet whether it will be made. If it is, whoever finds out closes it at once.
    await transact(ctx, (ctx) => markSuperseded(ctx, orderId));
    return 'gone';
  }
  try {
    const askedAt = ctx.clock.now();
    const snapshot = await ctx.ports.payments.expireSession(account, session.sessionId, ctx.signal);
    const answer = await answerOfSession(ctx, account, snapshot, askedAt);
    await transact(ctx, (ctx) => applyAnswer(ctx, answer));
    return snapshot.state === 'expired' ? 'gone' : 'paid';
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure !== 'missing') throw refusalOf(error);
    await endUnknown(ctx, orderId);
    return 'gone';
  }
}

async function answered(ctx: Context, orderId: string): Promise<PaymentSession | undefined> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const session = await readSession(ctx, orderId);
    if (session?.state !== 'creating' || performance.now() > until) return session;
    await sleep(lookEveryMs);
  }
}

/** This account never had it: the store has another one since. */
async function endUnknown(ctx: Context, orderId: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order) await endOrder(ctx, order, 'expired');
    await markOver(ctx, orderId, 'expired');
  });
}
