import { repairSession } from '#jobs/checkout.ts';
import { checkSession as checkSessionJob } from '#jobs/payments.ts';
import { asPlatform, completeJob } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueueFor } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction, PlatformContext } from '../../context.ts';
import { lockOrder } from '../../orders/index.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { openAccount } from '../accounts/payment-account.ts';
import { endOrder } from '../orders.ts';
import { type ProviderFailureReport, providerFailureOf } from '../provider-calls.ts';
import { applySnapshot } from '../snapshots/apply-snapshot.ts';
import { type Snapshot, snapshotOfSession } from '../snapshots/fetch-snapshot.ts';
import {
  checkLater,
  markOver,
  type PaymentSession,
  readSession,
  sessionLifeMs,
  slowPaymentMs,
} from './payment-session.ts';

/**
 * Fetch the session of an order from the provider and apply the snapshot, so that nothing depends on webhooks. At the
 * end of its lifetime the session is closed at the provider first; only then are the order's holds released.
 */
export async function checkSession(
  ctx: Context,
  { orderId, number }: { orderId: string; number: number },
): Promise<void> {
  const session = await readSession(ctx, orderId);
  if (!session?.checkAt || !session.sessionId || session.checks > number) return;

  const snapshot = await fetchCurrent(ctx, session.sessionId, session);
  if (snapshot instanceof Error) return waitOut(ctx, session, snapshot);
  await completeJob(ctx, async (ctx) => {
    await applySnapshot(ctx, snapshot);
    await checkLater(ctx, session);
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
    const found = await ctx.ports.payments.fetchSession(account, sessionId, ctx.signal);
    const session = isOver && found.state === 'open' ? await closeSession(ctx, account, sessionId) : found;
    return await snapshotOfSession(ctx, account, session);
  } catch (error) {
    return providerFailureOf(error);
  }
}

const closeSession = (ctx: Context, account: PaymentAccount, sessionId: string) =>
  ctx.ports.payments.expireSession(account, sessionId, ctx.signal);

/** While the provider cannot be reached, the order keeps its holds: the session may have been paid. */
async function waitOut(ctx: Context, session: PaymentSession, reason: ProviderFailureReport): Promise<void> {
  const isOutOfReach =
    !(reason instanceof ProviderError) || reason.failure === 'denied' || reason.failure === 'missing';
  if (isOutOfReach && ctx.clock.now().getTime() - session.expiresAt.getTime() > payableMs(session)) {
    // If it was paid after all, a later snapshot still pays the order.
    return completeJob(ctx, (ctx) => endSession(ctx, session, 'expired'));
  }
  const waitMs = Math.max(seconds(reason.retryAfterSeconds ?? 0), isOutOfReach ? hours(1) : minutes(1));
  await completeJob(ctx, (ctx) => checkLater(ctx, session, waitMs));
}

/** How long after its end a session can still turn out to be paid. */
const payableMs = ({ state }: PaymentSession): number => sessionLifeMs + (state === 'processing' ? slowPaymentMs : 0);

/** So many sessions are found by one statement; the next one finds the rest. */
const sessionsMax = 1000;
/** A session whose job was exhausted is due again after this. */
const dueAgainMs = minutes(10);

/**
 * Enqueue a job for each session that is due: a check, or a repair where the provider's response is missing. Orders that
 * were paid or closed before cost nothing here: that cleared the time. The check fetches a snapshot before any hold is
 * released.
 */
export async function sweepSessions(ctx: PlatformContext): Promise<void> {
  while ((await enqueueDue(ctx)) === sessionsMax);
}

async function enqueueDue(ctx: PlatformContext): Promise<number> {
  return asPlatform(ctx, 'sessions of every store come due', async (ctx) => {
    const due = await ctx.tx.execute<{ tenantId: string; orderId: string; isCreating: boolean; number: number }>(sql`
      update payment_sessions set checks = checks + 1, check_at = ${fromNow(ctx.clock, dueAgainMs)}
      where (tenant_id, order_id) in (
        select tenant_id, order_id from payment_sessions where check_at <= ${ctx.clock.now()}
        order by check_at limit ${sessionsMax} for update skip locked)
      returning tenant_id as "tenantId", order_id as "orderId", state = 'creating' as "isCreating", checks as number`);
    for (const { tenantId, orderId, isCreating, number } of due) {
      if (isCreating) enqueueFor(ctx, tenantId, repairSession, { orderId, attempt: number });
      else enqueueFor(ctx, tenantId, checkSessionJob, { orderId, number });
    }
    return due.length;
  });
}

/**
 * End a session without a snapshot of it, close its order and release the holds. A session whose state changed
 * meanwhile, because it was opened or paid, stays as it is.
 *
 *   expired    it can no longer be paid, or the provider cannot be reached for good
 *   canceled   it could not be created
 */
export async function endSession(
  ctx: InTransaction,
  session: PaymentSession,
  how: 'expired' | 'canceled',
): Promise<void> {
  const order = await lockOrder(ctx, session.orderId);
  if (!(await markOver(ctx, session, how === 'canceled' ? 'failed' : 'expired'))) return;
  if (order) await endOrder(ctx, order, how);
}

/** How long it waits once its first attempts, which follow within seconds, have failed. */
const waitMs = minutes(10);

/**
 * Remove the discount that was made at the provider for a session that is over. What was paid with it stays as it is.
 * Where the account no longer opens the discount stays, too: it was valid for one payment and some hours.
 */
export async function removeDiscount(ctx: Context, { orderId }: { orderId: string }): Promise<void> {
  const session = await readSession(ctx, orderId);
  if (!session || session.request.discountCents === 0) return;
  try {
    await ctx.ports.payments.removeDiscount(await openAccount(ctx), orderId, ctx.signal);
  } catch (error) {
    const failure = providerFailureOf(error);
    const mayPass = failure instanceof ProviderError && (failure.failure === 'away' || failure.failure === 'busy');
    if (mayPass) throw ctx.attempt?.isLastAttempt ? new Snooze(waitMs, failure.message) : failure;
  }
}
