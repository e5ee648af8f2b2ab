import { jobNames } from '#jobs/index.ts';
import { queueNames, queuePrefix } from '#jobs/queues.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { within } from '#src/lib/within.ts';
import { type JobState, readJobStates } from '#src/outbox/queue-states.ts';
import { untilReady } from '#src/platform/redis.ts';
import { worksAs } from '#src/platform/shared-metrics.ts';
import type { Services } from '#src/services.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const about = 'workers';
const unknownWithoutRedis = warning(
  about,
  'Which of them run is unknown without Redis.',
  'Fix Redis first, then run doctor again.',
);
/** A relay that runs takes less than a second. */
const unrelayedMaxMs = minutes(1);
const dueMaxMs = minutes(10);
const redisTimeoutMs = seconds(3);

/**
 * Whether a process runs each queue and the relay, whether a queue is paused, whether due jobs are relayed to their
 * queues and processed, and which failed.
 * @param isRedisWell otherwise no process can report that it runs, and no job is relayed by those that do
 */
export async function checkQueues(services: Services, isRedisWell: boolean): Promise<Finding[]> {
  const now = services.clock.now();
  const states = await readJobStates(services.execute, now);
  const running = isRedisWell
    ? [...(await checkProcesses(services, states)), ...(await checkPauses(services)), ...checkProgress(states, now)]
    : [unknownWithoutRedis];
  const findings = [...running, ...checkUnknown(states), ...checkFailures(states)];
  return findings.length > 0 ? findings : [ok(about, 'Each queue has one, and due jobs are being processed.')];
}

/** A queue without a process is a fault once a job is due there: it may have been scaled to zero on purpose. */
async function checkProcesses({ redis, sharedMetrics }: Services, states: readonly JobState[]): Promise<Finding[]> {
  await within(redisTimeoutMs, untilReady(redis));
  const processes = await sharedMetrics.readProcesses();
  if (!processes) return [unknownWithoutRedis];
  const missing = ['relay', ...queueNames].filter((name) => !processes.some(worksAs(`worker-${name}`)));
  if (missing.length === 0) return [];
  const message = `No process runs ${missing.map((name) => `${name} (worker-${name})`).join(', ')}`;
  const advice = 'Start a worker, which does all of it, or one of each that is named: heroku ps:scale worker=1';
  const areDue = states.some(
    ({ queue, due, oldestUnrelayedAt }) =>
      (missing.includes(queue) && due > 0) || (missing.includes('relay') && oldestUnrelayedAt),
  );
  return areDue
    ? [fault(about, `${message}, and jobs are due there.`, advice)]
    : [warning(about, `${message}.`, advice)];
}

/** Nothing here pauses a queue, but other programs for BullMQ do. Then its workers take no job, however many run. */
async function checkPauses({ redis }: Services): Promise<Finding[]> {
  if (redis.status !== 'ready') return [];
  const pauses = await Promise.all(
    queueNames.map((name) => redis.hexists(`${queuePrefix(name)}:${name}:meta`, 'paused')),
  );
  const paused = queueNames.filter((_name, index) => pauses[index] === 1);
  if (paused.length === 0) return [];
  const advice = 'Resume them in the program that paused them, or empty Redis, which loses no job.';
  return [fault(about, `No job of these queues runs, because they are paused in Redis: ${paused.join(', ')}.`, advice)];
}

function checkProgress(states: readonly JobState[], now: Date): Finding[] {
  const ageOf = (moment: Date | null) => (moment ? now.getTime() - moment.getTime() : 0);
  const unrelayedMs = Math.max(0, ...states.map(({ oldestUnrelayedAt }) => ageOf(oldestUnrelayedAt)));
  if (unrelayedMs > unrelayedMaxMs) {
    const message = `Jobs have waited ${inMinutes(unrelayedMs)} for a relay.`;
    return [fault(about, message, 'Start a worker or a worker-relay: heroku ps:scale worker=1')];
  }
  const late = Map.groupBy(
    states.filter(({ oldestDueAt }) => ageOf(oldestDueAt) > dueMaxMs),
    ({ queue }) => queue,
  );
  return [...late].map(([queue, jobs]) => {
    const oldestMs = Math.max(...jobs.map(({ oldestDueAt }) => ageOf(oldestDueAt)));
    const message = `Jobs of the queue ${queue} have waited ${inMinutes(oldestMs)}.`;
    return fault(about, message, `Start a worker or another worker-${queue}; /ops shows what keeps failing.`);
  });
}

const isKnown = (job: string) => jobNames.includes(job);

/** A release that was rolled back leaves jobs that only it knows. */
function checkUnknown(states: readonly JobState[]): Finding[] {
  return states
    .filter(({ job, later }) => later > 0 && !isKnown(job))
    .map(({ job, later }) => {
      const message = `${later} × ${job} wait for another release, because this one does not know them.`;
      return warning(about, message, 'They run by themselves when a release that knows them is deployed.');
    });
}

function checkFailures(states: readonly JobState[]): Finding[] {
  return states
    .filter(({ failed }) => failed > 0)
    .map(({ queue, job, failed }) => {
      const message = `${failed} × ${job} failed after the last attempt.`;
      const board = `/ops/queues/queue/${queue}`;
      const advice = isKnown(job)
        ? `Read why at ${board}, correct it, and press Retry there.`
        : `Deploy a release that knows them, and press Retry at ${board}: this one leaves them.`;
      return fault('failed jobs', message, advice);
    });
}

const inMinutes = (milliseconds: number) => {
  const count = Math.round(milliseconds / minutes(1));
  return `${count} ${count === 1 ? 'minute' : 'minutes'}`;
};
