import type { Job } from 'bullmq';

import { failJob } from '#src/domain/database.ts';
import { correlate } from '#src/lib/correlation.ts';
import { newId } from '#src/lib/ids.ts';
import { inSpan, type SpanOptions, type TraceCarrier } from '#src/lib/tracing.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { finishPromise, type StartedPromise } from '#src/outbox/runs.ts';
import type { Services } from '#src/services.ts';
import { cancel, type Outcome, outcomeOf, snooze } from './outcome.ts';
import type { Processor } from './processor.ts';

/** What BullMQ carries of a job. The payload stays in the row: Redis keeps what it holds in clear. */
export interface Envelope {
  readonly tenantId: string | null;
  readonly trace: TraceCarrier;
}

/** A promise whose runs died this often without saying why is given up. */
const startsMax = 10;

/** How long a promise of a job that this release does not know waits for a worker that does. */
const unknownJobWaitMs = 30_000;

/** Work one promise and say how it went. Throws only when the database is away: then nothing can be said. */
export async function workPromise(
  services: Services,
  processors: ReadonlyMap<string, Processor>,
  job: Job<Envelope>,
  shutdown: AbortSignal,
): Promise<Outcome> {
  const processor = processors.get(job.name);
  if (!processor) return snooze(unknownJobWaitMs, `no worker of this release knows ${job.name}`);

  const promise = await takeUp(services, processor, job);
  if (!promise) return { kind: 'done' };
  if (promise.failure !== null) return cancel(promise.failure);
  // A job that wakes others finds nothing before it is due, would be done, and what it was to wake would be lost.
  const earlyMs = promise.dueAt.getTime() - services.clock.now().getTime();
  if (earlyMs > 0) return snooze(earlyMs, 'not due yet');

  const tenant = promise.tenantId ? await services.tenants.byId(promise.tenantId) : undefined;
  const correlation = { requestId: promise.requestId ?? newId('req'), tenant: tenant?.slug, job: job.name };
  const work = () => run(services, processor, job, promise, shutdown);
  // Ticks come too often for each to be a trace of its own.
  return correlate(correlation, () => (promise.id ? inSpan(`work ${job.name}`, spanOf(promise), work) : work()));
}

function spanOf({ id, trace }: StartedPromise): SpanOptions {
  return { kind: 'consumer', attributes: { 'messaging.message.id': id }, parent: trace };
}

/** Ticks of a job scheduler have no row: they only wake a worker that finds its rows by query. */
async function takeUp(services: Services, processor: Processor, job: Job<Envelope>): Promise<StartedPromise | undefined> {
  if (!job.repeatJobKey) return services.startPromise(job.id ?? '');
  const now = services.clock.now();
  return { id: '', tenantId: null, job: processor.job.name, payload: {}, starts: 1, requestId: null, trace: {}, dueAt: now, manual: false, failure: null };
}

async function run(
  services: Services,
  processor: Processor,
  job: Job<Envelope>,
  promise: StartedPromise,
  shutdown: AbortSignal,
): Promise<Outcome> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), processor.job.timeoutSeconds * 1000);
  const failedRuns = job.attemptsMade;
  const isLastRun = failedRuns + 1 >= processor.job.retry.attempts;
  const jobRun = { outboxId: promise.id, failedRuns, isLastRun, isKept: false, manual: promise.manual };
  const base = services.context({
    actor: { kind: 'job', id: promise.id || processor.job.name },
    signal: AbortSignal.any([timeout.signal, shutdown]),
    ...(promise.id && { run: jobRun }),
  });

  let giveUp: ((reason: string) => Promise<unknown>) | undefined;
  try {
    const issues = issuesOf(processor.job.payload, promise.payload);
    if (issues.length > 0) return cancel(`payload: ${issues.map(({ path, detail }) => `${path} ${detail}`).join(', ')}`);

    const payload = promise.payload as never;
    const ctx = processor.scope === 'tenant' ? { ...base, tenant: await services.tenantOf(promise.tenantId) } : base;
    giveUp = async (reason) => 'tenant' in ctx && failJob(ctx, reason, async (ctx) => processor.giveUp?.(ctx, payload));
    if (promise.starts > startsMax) {
      const reason = `crashes: ${startsMax} runs died without an outcome.`;
      await giveUp(reason);
      return cancel(reason);
    }
    await Promise.race([processor.work(ctx, payload), rejectWhenAborted(timeout.signal)]);
    if (promise.id && !jobRun.isKept) await finishPromise(services.run, promise.id, services.clock.now());
    return { kind: 'done' };
  } catch (error) {
    if (jobRun.isKept) {
      services.log.warn({ err: error }, 'an error came after the outcome of the job was written');
      return { kind: 'done' };
    }
    const outcome = outcomeOf(error, { ageMs: services.clock.now().getTime() - promise.dueAt.getTime() });
    if (outcome.kind === 'retry' && isLastRun) await giveUp?.(outcome.reason);
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The run took longer than its job allows.')), { once: true });
  });
}
