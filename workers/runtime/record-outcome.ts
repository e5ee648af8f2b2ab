import { DelayedError, type Job, UnrecoverableError } from 'bullmq';

import { recordPostponed } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import type { Outcome } from './outcome.ts';
import type { Envelope } from './run-job.ts';

/** Makes BullMQ retry the job by its policy. */
export class Retry extends Error {
  override readonly name = 'Retry';
}

/**
 * Report to BullMQ how an attempt ended, after its row is written: a job is in the failed set only when its row says
 * so, and therefore pages built from rows and the board never disagree.
 */
export async function recordOutcome(
  services: Services,
  job: Job<Envelope>,
  token: string | undefined,
  outcome: Outcome,
): Promise<void> {
  if (outcome.kind === 'done' || outcome.kind === 'returned') return;
  if (outcome.kind === 'snooze') {
    await recordPostponed(services.execute, job.id ?? '');
    return delay(job, token, outcome.milliseconds);
  }
  if (outcome.kind === 'retry' && !outcome.isLastAttempt) {
    await recordPostponed(services.execute, job.id ?? '');
    throw withoutStack(new Retry(outcome.reason));
  }
  throw withoutStack(new UnrecoverableError(outcome.reason));
}

export async function delay(job: Job<Envelope>, token: string | undefined, milliseconds: number): Promise<void> {
  // The next tick of a job scheduler comes all the same, and those that wait would add up during an outage.
  if (job.repeatJobKey) return;
  // BullMQ subtracts this machine's time from it, so it must be this machine's.
  await job.moveToDelayed(Date.now() + milliseconds, token);
  throw new DelayedError();
}

/** The board shows the stack of an error. Here it would always be the same, so that the reason alone is more useful. */
function withoutStack(error: Error): Error {
  return Object.assign(error, { stack: error.message });
}
