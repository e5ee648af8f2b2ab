import { completeJob } from '#src/database/transact.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { applySnapshot } from './apply-answer.ts';
import { type Snapshot, snapshotOfSession } from './ask-provider.ts';
import { endSession } from './end-session.ts';
import { openAccount } from './open-account.ts';
import { enqueueCheck, type PaymentSession, readSession, sessionLifeMs, slowPaymentMs } from './payment-session.ts';
import { type ProviderFailureReport, providerFailureOf } from './trouble.ts';

/**
 * Ask the provider how the session of an order stands, and apply that: nothing depends on its webhooks. At the end of
 * its time it is closed at the provider first, and only then what it held is given back.
 */
export async function checkSession(
  ctx: Context,
  { orderId, number }: { orderId: string; number: number },
): Promise<void> {
  const session = await readSession(ctx, orderId);
  if (!session?.checkAt || session.checks >= number) return;
  if (!session.sessionId) return enqueueNext(ctx, session, number);

  const snapshot = await fetchCurrent(ctx, session.sessionId, session);
  if (snapshot instanceof Error) return waitOut(ctx, session, number, snapshot);
  await completeJob(ctx, async (ctx) => {
    await applySnapshot(ctx, snapshot);
    await enqueueCheck(ctx, session, number);
  });
}

async function fetchCurrent(
  ctx: Context,
  sessionId: string,
  { expiresAt, supersededAt }: PaymentSession,
): Promise<Snapshot | ProviderFailureReport> {
  try {
    const account = await openAccount(ctx);
    const isOver = expiresAt <= ctx.clock.now() || supersededAt !== null;
    const requestedMs = await ctx.ports.payments.fetchSession(account, sessionId, ctx.signal);
    const session = isOver && requestedMs.state === 'open' ? await closeSession(ctx, account, sessionId) : requestedMs;
    return await snapshotOfSession(ctx, account, session);
  } catch (error) {
    return providerFailureOf(error);
  }
}

const closeSession = (ctx: Context, account: PaymentAccount, sessionId: string) =>
  ctx.ports.payments.expireSession(account, sessionId, ctx.signal);

/** While the provider cannot be asked, nothing is given back: the session may have been paid. */
async function waitOut(
  ctx: Context,
  session: PaymentSession,
  number: number,
  reason: ProviderFailureReport,
): Promise<void> {
  const isOutOfReach =
    !(reason instanceof ProviderError) || reason.failure === 'denied' || reason.failure === 'missing';
  if (isOutOfReach && ctx.clock.now().getTime() - session.expiresAt.getTime() > payableMs(session)) {
    // Should money have come, it will still be believed.
    return completeJob(ctx, (ctx) => endSession(ctx, session, 'expired'));
  }
  const requestedMs = reason instanceof ProviderError ? seconds(reason.retryAfterSeconds ?? 0) : 0;
  const waitMs = Math.max(requestedMs, isOutOfReach ? hours(1) : minutes(1));
  await completeJob(ctx, (ctx) => enqueueCheck(ctx, session, number, waitMs));
}

/** How long after its end a session can still turn out to be paid, though nobody was told. */
const payableMs = ({ state }: PaymentSession): number => sessionLifeMs + (state === 'processing' ? slowPaymentMs : 0);

/** Whether it was made is being found out: see checkout's repair. */
async function enqueueNext(ctx: Context, session: PaymentSession, number: number): Promise<void> {
  await completeJob(ctx, (ctx) => enqueueCheck(ctx, session, number));
}
