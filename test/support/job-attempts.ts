import type { JobAttempt } from '#src/domain/context.ts';
import { newId } from '#src/lib/ids.ts';
import { type JobRound, startJob } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';

/** The first attempt of a job, as a worker describes it to the operation that it calls. */
export const jobAttempt = (given: Partial<JobAttempt> = {}): JobAttempt => ({
  outboxId: newId('job'),
  firstStartedAt: new Date(),
  failedAttempts: 0,
  isLastAttempt: false,
  isCompleted: false,
  manual: false,
  ...given,
});

/** Start a job, as a worker does before it executes it. */
export async function startRound({ execute, clock }: Services, id = ''): Promise<JobRound> {
  const started = await startJob(execute, id, clock.now());
  if (!started) throw new Error(`No open job has the id ${id}.`);
  return { outboxId: id, firstStartedAt: started.firstStartedAt };
}
