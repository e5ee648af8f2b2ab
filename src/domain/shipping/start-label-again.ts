import type { InTransaction } from '../context.ts';
import type { Label } from './label.ts';
import { resume } from './label-lease.ts';
import { unpause } from './pause-labels.ts';
import { enqueueAttempt } from './request-label.ts';

/**
 * An operator retries a label, wherever it was pressed: it starts again with an attempt of its own. One that waited for
 * the store's account lets the provider be asked again for all that wait for it. The label is locked.
 */
export async function restartLabel(ctx: InTransaction, label: Label): Promise<void> {
  if (label.reasonCode === 'provider_auth') await unpause(ctx);
  if (label.state === 'needs_attention' || label.state === 'skipped') resume(label);
  enqueueAttempt(ctx, label, ctx.clock.now());
  label.updatedAt = ctx.clock.now();
}
