import type { Job } from 'bullmq';

import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { isDatabaseBusy } from '#src/database/is-database-busy.ts';
import { failJob } from '#src/database/transact.ts';
import type { Context, PlatformContext } from '#src/domain/context.ts';
import { fromNow } from '#src/lib/clock.ts';
import { correlate } from '#src/lib/correlation.ts';
import { seconds } from '#src/lib/duration.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { inSpan, type SpanOptions, type TraceCarrier } from '#src/lib/tracing.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { returnClaims } from '#src/outbox/claim-jobs.ts';
import { type JobRound, recordFailed, recordFinished, type StartedJob, startJob } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import { cancel, type Outcome, outcomeOf, snooze } from './outcome.ts';
import type { Processor } from './processor.ts';

/** The data of a job in BullMQ. The payload stays in PostgreSQL: Redis stores its data unencrypted. */
export interface Envelope {
  readonly tenantId: string | null;
  readonly trace: TraceCarrier;
}

/** What is read of a job that a queue handed out. */
export type TakenJob = Pick<Job<Envelope>, 'id' | 'name' | 'attemptsMade' | 'opts' | 'repeatJobKey'>;

/** What a job knows of the process that runs it. */
export interface Runtime {
  readonly shutdown: AbortSignal;
  /** Waits until a busy process has room for a further piece of a long job. */
  readonly takeTurn?: PlatformContext['takeTurn'];
}

/** A job whose attempts died this often without an outcome fails. */
const startsMax = 10;

/**
 * How long a job that is not due yet waits before it is looked at again. The relay found it due: the clock of a machine
 * that was paused, or was measured before PostgreSQL's clock was set, is as far behind as that until it is measured again.
 */
const earlyMsMax = seconds(30);

/** How long a job that this release does not know is not relayed again: a relay may know it, and no worker. */
const unknownJobWaitMs = seconds(30);

/**
 * Execute a job and return its outcome. Throws when the database is unavailable: then no outcome can be written.
 */
export async function runJob(
  services: Services,
  processors: ReadonlyMap<string, Processor>,
  job: TakenJob,
  runtime: Runtime,
): Promise<Outcome> {
  const processor = processors.get(job.name);
  if (!processor) {
    // It waits in the outbox for a release that knows it, and takes no place in the queue.
    await returnClaims(services.execute, [job.id ?? ''], fromNow(services.clock, unknownJobWaitMs));
    return { kind: 'returned' };
  }

  const started = await start(services, processor, job);
  if (!started) return { kind: 'done' };
  if (started.failure !== null) return cancel(started.failure);
  // A job that wakes others finds nothing before it is due, would be done, and what it was to wake would be lost.
  const earlyMs = started.dueAt.getTime() - services.clock.now().getTime();
  if (earlyMs > 0) return snooze(Math.min(earlyMs, earlyMsMax), 'not due yet');

  const tenant = started.tenantId ? await services.tenants.byId(started.tenantId) : undefined;
  if (started.tenantId && !tenant) {
    // Its store was removed.
    await recordFinished(services.execute, roundOf(started), services.clock.now());
    return { kind: 'done' };
  }
  const correlation = { requestId: started.requestId ?? newId('req'), tenant: tenant?.slug, job: job.name };
  const work = async () => {
    const outcome = await attemptJob(services, processor, job, started, runtime);
    if (fails(outcome)) await recordFailed(services.execute, roundOf(started), services.clock.now(), outcome.reason);
    logOutcome(services, job, outcome);
    return outcome;
  };
  // Ticks come too often for each to be a trace of its own.
  return correlate(correlation, () => (started.id ? inSpan(`work ${job.name}`, spanOf(started), work) : work()));
}

/** Where lines have the request, the store and the name of the job. */
function logOutcome({ log }: Services, { attemptsMade }: TakenJob, outcome: Outcome): void {
  if (outcome.kind !== 'retry' && outcome.kind !== 'cancel') return;
  const { reason } = outcome;
  if (!fails(outcome)) return log.warn({ reason, runs: attemptsMade + 1 }, 'job will be retried');
  log.error({ reason, ...(outcome.kind === 'retry' && { err: outcome.error }) }, 'job failed');
}

function spanOf({ id, trace }: StartedJob): SpanOptions {
  return { kind: 'consumer', attributes: { 'messaging.message.id': id }, parent: trace };
}

const roundOf = ({ id, firstStartedAt }: StartedJob): JobRound => ({ outboxId: id, firstStartedAt });

/** Ticks of a job scheduler have no row: they only wake a worker that finds its rows by query. */
async function start(services: Services, processor: Processor, job: TakenJob): Promise<StartedJob | undefined> {
  const now = services.clock.now();
  if (!job.repeatJobKey) return startJob(services.execute, job.id ?? '', now);
  return {
    id: '',
    tenantId: null,
    job: processor.job.name,
    payload: {},
    starts: 1,
    requestId: null,
    trace: {},
    dueAt: now,
    firstStartedAt: now,
    manual: false,
    failure: null,
  };
}

async function attemptJob(
  services: Services,
  processor: Processor,
  job: TakenJob,
  started: StartedJob,
  { shutdown, takeTurn }: Runtime,
): Promise<Outcome> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), processor.job.timeoutSeconds * 1000);
  const failedAttempts = job.attemptsMade;
  // The release that added the job to its queue may have allowed it another number.
  const isLastAttempt = failedAttempts + 1 >= Math.min(processor.job.retry.attempts, job.opts.attempts ?? Infinity);
  const attempt = { ...roundOf(started), failedAttempts, isLastAttempt, isCompleted: false, manual: started.manual };
  const base = services.context({
    actor: { kind: 'job', id: started.id || processor.job.name },
    signal: AbortSignal.any([timeout.signal, shutdown]),
    ...(started.id && { attempt }),
    ...(takeTurn && { takeTurn }),
  });

  let ctx: Context | PlatformContext = base;
  try {
    if (processor.scope === 'tenant') ctx = { ...base, tenant: await services.tenantOf(started.tenantId) };
    const obstacle = obstacleOf(processor, started);
    if (obstacle !== undefined) {
      await failSubject(processor, ctx, started, obstacle);
      return cancel(obstacle);
    }
    await Promise.race([processor.work(ctx, started.payload as never), rejectWhenAborted(timeout.signal)]);
    if (!started.id || attempt.isCompleted) return { kind: 'done' };
    const failure = await recordFinished(services.execute, attempt, services.clock.now());
    return failure === undefined ? { kind: 'done' } : cancel(failure);
  } catch (error) {
    if (attempt.isCompleted) {
      services.log.warn({ err: error }, 'an error occurred after the outcome of the job was recorded');
      return { kind: 'done' };
    }
    // It was aborted, or will have to be: that is no failed attempt, and another process takes the job at once.
    if (shutdown.aborted) return snooze(0, 'the process stops');
    const triedForMs = services.clock.now().getTime() - started.firstStartedAt.getTime();
    const outcome = outcomeOf(error, { triedForMs, isLastAttempt });
    // What requires a manual action has already been recorded with its subject.
    if (fails(outcome) && !(error instanceof ManualActionRequired))
      await failSubject(processor, ctx, started, outcome.reason);
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}

const fails = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'retry' | 'cancel' }> =>
  outcome.kind === 'cancel' || (outcome.kind === 'retry' && outcome.isLastAttempt);

/** Record that the job failed, and let it mark its subject as failed. Jobs of the platform have no subject. */
async function failSubject(
  processor: Processor,
  ctx: Context | PlatformContext,
  { payload }: StartedJob,
  reason: string,
): Promise<void> {
  try {
    if ('tenant' in ctx) await failJob(ctx, reason, async (ctx) => processor.onExhausted?.(ctx, payload as never));
  } catch (error) {
    if (isDatabaseAway(error) || isDatabaseBusy(error)) throw error;
    // The job fails all the same: otherwise it would run forever.
    ctx.log.error({ err: error }, 'the subject of a failed job could not be marked as failed');
  }
}

/** Why a job is not executed at all. */
function obstacleOf({ job }: Processor, { payload, starts }: StartedJob): string | undefined {
  const issues = issuesOf(job.payload, payload);
  if (issues.length > 0) return `payload: ${issues.map(({ path, detail }) => `${path} ${detail}`).join(', ')}`;
  return starts > startsMax ? `crashes: ${startsMax} attempts died without an outcome.` : undefined;
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The attempt took longer than its job allows.')), {
      once: true,
    });
  });
}
