import { purchaseLabel } from '#jobs/labels.ts';
import { closeFailed } from '#src/outbox/job-state.ts';
import type { InTransaction } from '../context.ts';
import type { Label } from './label.ts';

/** What failed of a label's work is over once the label is settled: it leaves the board. */
export async function closeFailedJobs(ctx: InTransaction, label: Label): Promise<void> {
  const keys = Array.from({ length: label.attempt }, (_, index) =>
    purchaseLabel.key({ labelId: label.id, attempt: index + 1 }),
  );
  await closeFailed(ctx.tx.execute, { tenantId: ctx.tenant.id, job: purchaseLabel.name, keys }, ctx.clock.now());
}
