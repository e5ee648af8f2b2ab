import { minutes } from '#src/lib/duration.ts';
import { readJobStates } from '#src/outbox/queue-states.ts';
import type { Services } from '#src/services.ts';
import { type Finding, fault, ok } from './finding.ts';

/** A relay that runs takes less than a second. */
const unrelayedMaxMs = minutes(1);
const dueMaxMs = minutes(10);

/** Whether due jobs are relayed to their queues and processed. */
export async function checkQueues({ execute, clock }: Services): Promise<Finding[]> {
  const now = clock.now();
  const states = await readJobStates(execute, now);
  const ageOf = (moment: Date | null) => (moment ? now.getTime() - moment.getTime() : 0);
  const unrelayedMs = Math.max(0, ...states.map(({ oldestUnrelayedAt }) => ageOf(oldestUnrelayedAt)));
  if (unrelayedMs > unrelayedMaxMs) {
    const message = `Jobs have waited ${inMinutes(unrelayedMs)} for a relay.`;
    return [fault('workers', message, 'Start a worker or a worker-relay: heroku ps:scale worker=1')];
  }
  const late = Map.groupBy(
    states.filter(({ oldestDueAt }) => ageOf(oldestDueAt) > dueMaxMs),
    ({ queue }) => queue,
  );
  if (late.size === 0) return [ok('workers', 'Due jobs are being processed.')];
  return [...late].map(([queue, jobs]) => {
    const oldestMs = Math.max(...jobs.map(({ oldestDueAt }) => ageOf(oldestDueAt)));
    const message = `Jobs of the queue ${queue} have waited ${inMinutes(oldestMs)}.`;
    return fault('workers', message, `Start a worker or another worker-${queue}; /ops shows what keeps failing.`);
  });
}

const inMinutes = (milliseconds: number) => `${Math.round(milliseconds / minutes(1))} minutes`;
