import { scanEventGap as scanEventGapJob } from '#jobs/payments.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import type { TimeRange } from '#src/lib/clock.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { applySnapshot } from './apply-answer.ts';
import { fetchSnapshot } from './ask-provider.ts';
import { advanceGap, readGap } from './event-gaps.ts';
import { changedObjects, type ProviderObject, unknownSales } from './objects-of.ts';
import { openAccount } from './open-account.ts';
import { providerFailureOf } from './trouble.ts';

/** One run looks through so much, and enqueues the next; after each run that failed or took too long, half of it. */
const sliceMs = days(3);
const waitMs = minutes(10);

/**
 * Look through a stretch of time whose events are gone, by the provider's objects, and apply how each stands now, as if
 * its event had come. What was looked at is in line, so it can be done again at any time.
 */
export async function scanEventGap(ctx: Context, { gapId, number }: { gapId: string; number: number }): Promise<void> {
  const gap = await readGap(ctx, gapId);
  if (!gap) return;
  const to = new Date(Math.min(gap.from.getTime() + sliceMs / 2 ** (ctx.attempt?.failedRuns ?? 0), gap.to.getTime()));
  try {
    await applyObjects(ctx, { from: gap.from, to }, gap.lostFrom);
  } catch (error) {
    throw new Snooze(waitMs, providerFailureOf(error).message);
  }
  await completeJob(ctx, async (ctx) => {
    await advanceGap(ctx, gapId, to);
    if (to < gap.to) enqueue(ctx, scanEventGapJob, { gapId, number: number + 1 });
  });
}

async function applyObjects(ctx: Context, range: TimeRange, lostFrom: Date): Promise<void> {
  const account = await openAccount(ctx);
  for await (const { subject, objectId } of objectsWithin(ctx, account, range, lostFrom)) {
    const snapshot = await fetchSnapshot(ctx, account, subject, objectId);
    const applied = snapshot && (await transact(ctx, (ctx) => applySnapshot(ctx, snapshot)));
    if (applied === 'unknown_order') {
      ctx.log.error(
        { code: 'payment_of_unknown_order', subject, objectId },
        'the payment provider has a payment of ours without an order',
      );
    }
  }
}

/** Of the time before the gap only the sessions matter: their money may have come within it. */
async function* objectsWithin(
  ctx: Context,
  account: PaymentAccount,
  { from, to }: TimeRange,
  lostFrom: Date,
): AsyncGenerator<ProviderObject> {
  yield* unknownSales(ctx, account, { from, to });
  if (to > lostFrom) yield* changedObjects(ctx, account, { from: from > lostFrom ? from : lostFrom, to });
}
