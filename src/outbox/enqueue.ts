import type { Static, TObject } from 'typebox';

import type { JobDefinition } from '#jobs/lib/define-job.ts';
import { currentCorrelation } from '#src/lib/correlation.ts';
import { newId } from '#src/lib/ids.ts';
import { currentTrace } from '#src/lib/tracing.ts';
import type { OutboxContext, OutboxJob } from './outbox-job.ts';

/**
 * Promise a job: when the transaction commits, it will be worked, whatever happens to Redis or to any process;
 * when it rolls back, it never was. A promise that was made before (same tenant, job and key) is not made again.
 *
 * Throws outside a transaction: a promise that could outlive, or die without, its cause would be no promise.
 */
export function enqueue<Schema extends TObject>(
  ctx: OutboxContext,
  job: JobDefinition<Schema>,
  payload: Static<Schema>,
  options: { dueAt?: Date } = {},
): void {
  if (!ctx.tx) throw new TypeError(`${job.name} was promised outside a transaction.`);
  ctx.tx.jobs.push(outboxJobOf(ctx, job, payload, options));
}

/** What `enqueue` writes, for a statement of its own that writes it together with its cause: see `insertJobs`. */
export function outboxJobOf<Schema extends TObject>(
  ctx: OutboxContext,
  job: JobDefinition<Schema>,
  payload: Static<Schema>,
  { dueAt = ctx.clock.now() }: { dueAt?: Date } = {},
): OutboxJob {
  return {
    id: newId('job'),
    tenantId: ctx.tenant?.id ?? null,
    job: job.name,
    queue: job.queue,
    key: job.key(payload),
    payload: payload as object,
    dueAt,
    requestId: currentCorrelation()?.requestId ?? null,
    trace: currentTrace(),
  };
}
