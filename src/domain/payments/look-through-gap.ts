import { lookThroughGap as lookOn } from '#jobs/payments.ts';
import type { TimeRange } from '#src/lib/clock.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import { conclude, transact } from '../database.ts';
import { applyAnswer } from './apply-answer.ts';
import { askProvider } from './ask-provider.ts';
import { advanceGap, readGap } from './event-gaps.ts';
import { objectsOf } from './objects-of.ts';
import { openAccount } from './open-account.ts';
import { troubleOf } from './trouble.ts';

/** One run looks through so much, and promises the next. */
const portionMs = days(3);
const waitMs = minutes(10);

/**
 * Look through a stretch of time whose events are gone, by the provider's objects, and apply how each stands now, as if
 * its event had come. What was looked at is in line, so it can be done again at any time.
 */
export async function lookThroughGap(ctx: Context, { gapId, number }: { gapId: string; number: number }): Promise<void> {
  const gap = await readGap(ctx, gapId);
  if (!gap) return;
  const to = new Date(Math.min(gap.from.getTime() + portionMs, gap.to.getTime()));
  try {
    await lookThrough(ctx, { from: gap.from, to });
  } catch (error) {
    throw new Snooze(waitMs, troubleOf(error).message);
  }
  await conclude(ctx, async (ctx) => {
    await advanceGap(ctx, gapId, to);
    if (to < gap.to) enqueue(ctx, lookOn, { gapId, number: number + 1 });
  });
}

async function lookThrough(ctx: Context, range: TimeRange): Promise<void> {
  const account = await openAccount(ctx);
  for await (const { subject, objectId } of objectsOf(ctx, account, range)) {
    const answer = await askProvider(ctx, account, subject, objectId);
    const applied = answer && (await transact(ctx, (ctx) => applyAnswer(ctx, answer)));
    if (applied === 'unknown_order') {
      ctx.log.error({ code: 'payment_of_unknown_order', subject, objectId }, 'the payment provider has a payment of ours without an order');
    }
  }
}
