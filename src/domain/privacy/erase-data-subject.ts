import { completeJob, transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { pauseAfterBatch, startSlice } from '../bulk/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { erasureBlockers } from './blockers.ts';
import { beingDelivered, continueErasure } from './erase-personal-data.ts';
import { type Erasure, lockErasure, type RowsByPart, readErasure, saveErasure } from './erasure.ts';
import { findDataSubject } from './find-data-subject.ts';
import { personalData } from './registry.ts';
import { enqueueErasure } from './request-erasure.ts';

/** Preview an erasure, or erase its person batch by batch for some seconds, before others have their turn. */
export async function eraseDataSubject(ctx: Context, { erasureId }: { erasureId: string }): Promise<void> {
  const erasure = await readErasure(ctx, erasureId);
  if (erasure?.state === 'queued') return previewErasure(ctx, erasure);
  const isLast = startSlice(ctx);
  for (;;) {
    const startedAt = performance.now();
    const isLastBatch = isLast();
    const outcome = await (isLastBatch ? completeJob : transact)(ctx, async (ctx) => {
      const outcome = await continueErasure(ctx, erasureId);
      if (outcome === 'waiting') throw new Snooze(seconds(5), 'a webhook about the person is being delivered');
      if (outcome === 'more' && isLastBatch) await enqueueErasure(ctx, erasureId);
      return outcome;
    });
    if (isLastBatch || outcome !== 'more') return;
    await pauseAfterBatch(startedAt);
  }
}

async function previewErasure(ctx: Context, { id, email }: Erasure): Promise<void> {
  const found = await transact(ctx, (ctx) => countParts(ctx, email ?? ''));
  await completeJob(ctx, async (ctx) => {
    const erasure = await lockErasure(ctx, id);
    if (erasure?.state !== 'queued' || erasure.email === null) return;
    const subject = await findDataSubject(ctx, erasure.email);
    const { blockers, isDelivering } = await erasureBlockers(ctx, subject);
    const all = isDelivering ? [...blockers, beingDelivered] : blockers;
    await saveErasure(ctx, { ...erasure, state: 'previewed', found, blockers: all });
  });
}

async function countParts(ctx: InTransaction, email: string): Promise<RowsByPart> {
  const subject = await findDataSubject(ctx, email);
  const found: Record<string, number> = {};
  for (const part of personalData) {
    const count = await part.count(ctx, subject);
    if (count > 0) found[part.name] = count;
  }
  return found;
}

/** Record that an erasure, or its preview, failed because its job did. What was erased before is erased. */
export async function failErasure(ctx: Context, { erasureId }: { erasureId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const erasure = await lockErasure(ctx, erasureId);
    if (erasure?.state !== 'queued' && erasure?.state !== 'running') return;
    await saveErasure(ctx, { ...erasure, state: 'failed', step: 0, failure: 'It failed. Preview it again.' });
  });
}
