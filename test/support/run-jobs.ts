import { jobs } from '#jobs/index.ts';
import { sweepSessions } from '#src/domain/payments/index.ts';
import { claimDue } from '#src/outbox/claim-jobs.ts';
import type { Services } from '#src/services.ts';
import { processors } from '#workers/processors.ts';
import { runJob } from '#workers/runtime/run-job.ts';

const byName = new Map(processors.map((processor) => [processor.job.name, processor]));
const known = jobs.map(({ name }) => name);

/** The last run of each database. */
const runs = new WeakMap<object, Promise<unknown>>();

/**
 * Run every due job, and those that they enqueue in turn, as the workers would but without Redis; the jobs of sessions
 * that are due are enqueued first, as by a tick. Returns the outcome of each run, in order, as `job: outcome`.
 * `failedAttempts`: so many attempts of each failed before. Runs of tests beside each other come one after the other, since
 * each runs the jobs of all: what another has claimed is done when this one returns.
 */
export function runJobs(services: Services, options: RunOptions = {}): Promise<string[]> {
  const { database } = services.context();
  const run = (runs.get(database) ?? Promise.resolve()).then(() => runDue(services, options));
  runs.set(
    database,
    run.catch(() => undefined),
  );
  return run;
}

interface RunOptions {
  rounds?: number;
  failedAttempts?: number;
}

async function runDue(services: Services, options: RunOptions): Promise<string[]> {
  const outcomes: string[] = [];
  for (let round = 0; round < (options.rounds ?? 20); round += 1) {
    await sweepSessions(services.context());
    const { claims } = await claimDue(services.execute, known, services.clock.now());
    if (claims.length === 0) break;
    for (const { id, job: name } of claims)
      outcomes.push(`${name}: ${await runOnce(services, { id, name }, options.failedAttempts)}`);
  }
  return outcomes;
}

/** Run a job as a worker would that was handed it, after so many failed attempts, and return its outcome. */
export async function runOnce(
  services: Services,
  job: { id: string; name: string },
  failedAttempts = 0,
): Promise<string> {
  const { signal: shutdown } = new AbortController();
  const outcome = await runJob(services, byName, { ...job, attemptsMade: failedAttempts, opts: {} }, { shutdown });
  return 'reason' in outcome ? `${outcome.kind} (${outcome.reason})` : outcome.kind;
}
