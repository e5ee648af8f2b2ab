import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { Label } from './label.ts';
import { type Lease, leaseMs, lockLabel } from './label-lease.ts';
import { restartLabel } from './retry-label.ts';

/**
 * Start an attempt of a label. `undefined` when there is nothing to do: the label is finished, is being voided or needs
 * attention, or a newer attempt replaced this one. When an operator retries the job of a label that needs attention, a
 * new attempt is enqueued, and this one ends.
 *
 * @throws Snooze while another attempt holds the label
 */
export async function takeLabel(
  ctx: Context,
  { labelId, attempt }: { labelId: string; attempt: number },
): Promise<Lease | undefined> {
  return transact(ctx, async (ctx) => {
    const label = await lockLabel(ctx, labelId);
    if (!label || label.isFinished || label.voidingSince) return undefined;
    if (label.state === 'needs_attention') {
      if (ctx.attempt?.manual) await completeJob(ctx, (ctx) => restartLabel(ctx, label));
      return undefined;
    }
    if (attempt !== label.attempt) return undefined;
    rejectIfHeld(ctx, label);

    if (label.state === 'queued') label.moveTo('quoting');
    const token = randomText(20);
    label.starts += 1;
    label.hold(token, fromNow(ctx.clock, leaseMs(ctx)));
    label.nextAttemptAt = null;
    label.updatedAt = ctx.clock.now();
    return { labelId, orderId: label.orderId, token, label };
  });
}

function rejectIfHeld(ctx: Context, label: Label): void {
  const now = ctx.clock.now();
  if (!label.isHeldByAnother(now)) return;
  const remainingMs = (label.leaseExpiresAt?.getTime() ?? 0) - now.getTime();
  throw new Snooze(Math.max(remainingMs, 0) + 250, 'another attempt holds the label');
}
