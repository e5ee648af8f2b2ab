import { completeJob } from '#src/database/transact.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context, InTransaction } from '../context.ts';
import {
  applySnapshot,
  checkLater,
  closeSoon,
  endSession,
  markOpened,
  openAccount,
  type PaymentSession,
  providerFailureOf,
  readSession,
  type Snapshot,
  snapshotOfSession,
} from '../payments/index.ts';
import type { CreatedSession, PaymentAccount } from '../ports/payment-gateway.ts';
import { provesNeverCreated, provesNotCreated } from './create-checkout-session.ts';
import { abandonSession } from './supersede-session.ts';

/** With less time than this the provider rejects a session that it has not created already. */
const lifeMinMs = minutes(31);
/** After this no session of the request can be open any more. */
const lifeMaxMs = days(1);

/**
 * End a session whose response was never stored, because the process died or the provider failed. Its request was
 * failed with an error and cannot be continued, so the order is closed and its holds are released at once. Then the
 * session is closed at the provider: the same call with the same key returns the same session while it has time left,
 * and a provider that keeps returning an error is searched for the session instead.
 */
export async function repairSession(
  ctx: Context,
  { orderId, attempt }: { orderId: string; attempt: number },
): Promise<void> {
  const session = await readSession(ctx, orderId);
  if (session?.state !== 'creating') return;
  if ((await abandonSession(ctx, orderId)) === 'changed') return;
  const finding = await findOutcome(ctx, session, attempt);
  await completeJob(ctx, (ctx) => applyFinding(ctx, session, finding, attempt));
}

type Finding =
  | { readonly kind: 'made'; readonly created: CreatedSession }
  | { readonly kind: 'found'; readonly snapshot: Snapshot }
  | { readonly kind: 'never_made' }
  | { readonly kind: 'unknown' };

async function findOutcome(ctx: Context, session: PaymentSession, attempt: number): Promise<Finding> {
  try {
    const account = await openAccount(ctx);
    const remainingMs = session.request.expiresAt * 1000 - ctx.clock.now().getTime();
    return remainingMs > lifeMinMs
      ? await createAgain(ctx, account, session, attempt)
      : await searchSession(ctx, account, session, attempt);
  } catch (error) {
    providerFailureOf(error);
    return { kind: 'unknown' };
  }
}

async function createAgain(
  ctx: Context,
  account: PaymentAccount,
  session: PaymentSession,
  attempt: number,
): Promise<Finding> {
  try {
    const created = await ctx.ports.payments.createSession(
      account,
      session.request,
      session.idempotencyKey,
      ctx.signal,
    );
    return { kind: 'made', created };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (provesNeverCreated(error)) return { kind: 'never_made' };
    if (provesNotCreated(error)) return { kind: 'unknown' };
    // The provider returns the error that it stored under the key again and again, whether it acted or not.
    return searchSession(ctx, account, session, attempt);
  }
}

/** One empty search proves nothing, because the creation may be under way at the provider. Two, some time apart, do. */
async function searchSession(
  ctx: Context,
  account: PaymentAccount,
  session: PaymentSession,
  attempt: number,
): Promise<Finding> {
  const found = await ctx.ports.payments.findSession(account, session.orderId, session.createdAt, ctx.signal);
  if (found) return { kind: 'found', snapshot: await snapshotOfSession(ctx, account, found) };
  return { kind: attempt > 1 ? 'never_made' : 'unknown' };
}

async function applyFinding(
  ctx: InTransaction,
  session: PaymentSession,
  finding: Finding,
  attempt: number,
): Promise<void> {
  if (finding.kind === 'made') {
    await markOpened(ctx, session, finding.created);
    return;
  }
  if (finding.kind === 'found') {
    await applySnapshot(ctx, finding.snapshot);
    await closeSoon(ctx, session);
    return;
  }
  const isLongOver = ctx.clock.now().getTime() - session.request.expiresAt * 1000 > lifeMaxMs;
  if (finding.kind === 'never_made' || isLongOver) return endSession(ctx, session, 'expired');
  await checkLater(ctx, session, Math.min(seconds(15) * 2 ** attempt, minutes(10)));
}
