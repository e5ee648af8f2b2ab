import { jobNames } from '#jobs/index.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { TraceCarrier } from '#src/lib/tracing.ts';

/** Something that runs a statement: a pool, or an open transaction. */
export type Execute = <Row>(statement: Sql) => Promise<Row[]>;

/** A job as the worker that starts it reads it. */
export interface StartedJob {
  id: string;
  tenantId: string | null;
  job: string;
  payload: unknown;
  /** Starts without an outcome, this one included. */
  starts: number;
  requestId: string | null;
  trace: TraceCarrier;
  dueAt: Date;
  firstStartedAt: Date;
  /** Whether an operator retried it after it had failed. */
  manual: boolean;
  /** Why it failed; null while it has not. What failed is not executed again before an operator retries it. */
  failure: string | null;
}

/**
 * The attempts of a job until it ends. An operator's retry is a new round: an attempt that started before it neither
 * ends nor fails the retry, which waits for an attempt of its own.
 */
export interface JobRound {
  readonly outboxId: string;
  readonly firstStartedAt: Date;
}

const rowOf = ({ outboxId, firstStartedAt }: JobRound): Sql =>
  sql`id = ${outboxId} and first_started_at = ${firstStartedAt}`;

/**
 * Start a job, counting the start. `undefined` if it has completed or is unknown: there is nothing to do. A failed job
 * is returned unchanged: its queue may still have it, because the process died before it could report it.
 */
export async function startJob(execute: Execute, id: string, now: Date): Promise<StartedJob | undefined> {
  const [started] = await execute<StartedJob>(sql`
    update outbox set starts = starts + (failed_at is null)::int,
      first_started_at = coalesce(first_started_at, ${now})
    where id = ${id} and finished_at is null
    returning id, tenant_id as "tenantId", job, payload, starts, request_id as "requestId", trace,
      due_at as "dueAt", first_started_at as "firstStartedAt", manual,
      case when failed_at is not null then failure end as failure`);
  return started;
}

/**
 * Record that the job has completed, by an attempt that wrote no outcome. If another one has failed it meanwhile, it
 * stays failed: this one may have ended because it found nothing more to do.
 * @returns why it failed, or `undefined`
 */
export async function recordFinished(execute: Execute, round: JobRound, now: Date): Promise<string | undefined> {
  const [ended] = await execute<{ failure: string | null }>(sql`
    update outbox set finished_at = case when failed_at is null then ${now}::timestamptz end, next_relay_at = null
    where ${rowOf(round)} and finished_at is null
    returning case when failed_at is not null then failure end as failure`);
  return ended?.failure ?? undefined;
}

/**
 * A statement that completes a job together with its outcome, also if another attempt has failed it, or an operator has
 * retried it since: the work is done.
 */
export function finish(id: string, now: Date, onlyWhere: Sql = sql`true`): Sql {
  return sql`
    update outbox set finished_at = ${now}, failed_at = null, next_relay_at = null where id = ${id}
      and finished_at is null and ${onlyWhere}`;
}

/**
 * Reset the count of starts after an attempt that ended without completing the job: it counts only unreported deaths.
 */
export async function recordPostponed(execute: Execute, id: string): Promise<void> {
  await execute(sql`update outbox set starts = 0 where id = ${id}`);
}

/** Record that the job has failed and needs an operator. The relay does not add it again. */
export async function recordFailed(execute: Execute, round: JobRound, now: Date, failure: string): Promise<void> {
  await execute(fail(round, now, failure));
}

/**
 * The statement of `recordFailed`, for a transaction that fails a job with its last one. A retry has then had its
 * outcome.
 */
export function fail(round: JobRound, now: Date, failure: string): Sql {
  return sql`
    update outbox set failed_at = ${now}, failure = ${failure}, next_relay_at = null, starts = 0, manual = false
    where ${rowOf(round)} and next_relay_at is not null`;
}

/** A batch of retried jobs is one statement, which is far from its time limit; one call retries a few seconds' worth. */
const retryBounds = { batchSize: 2000, batchesMax: 10 };

/** How many jobs one call of `retryFailed` retries. */
export const retriesMax = retryBounds.batchSize * retryBounds.batchesMax;

/**
 * Retry a failed job of a queue, or all of them, for an operator: each is due again, with all of its attempts, and marked
 * as manually retried. The relay adds them again, even if the queue still has them as failed. Those that failed first are
 * retried first, at most `retriesMax` of them. What this release does not know stays failed: no worker would run it.
 * @returns the number of jobs
 */
export async function retryFailed(
  execute: Execute,
  { queue, id }: { queue: string; id?: string },
  now: Date,
): Promise<number> {
  const { batchSize, batchesMax } = retryBounds;
  let retried = 0;
  for (let batch = 0; batch < batchesMax && retried === batch * batchSize; batch += 1) {
    const rows = await execute(sql`
      update outbox set failed_at = null, failure = null, due_at = ${now}, next_relay_at = ${now}, relays = 0,
        first_started_at = null, manual = true
      where id = any(array(
        select id from outbox
        where queue = ${queue} and ${id === undefined ? sql`true` : sql`id = ${id}`} and failed_at is not null
          and job = any(${jobNames})
        order by failed_at limit ${batchSize} for update))
      returning 1`);
    retried += rows.length;
  }
  return retried;
}

/** Complete failed jobs whose work was done in another way. A retry then does nothing, and the board drops them. */
export async function closeFailed(
  execute: Execute,
  which: { tenantId: string; job: string; keys: readonly string[] },
  now: Date,
): Promise<void> {
  await execute(sql`
    update outbox set finished_at = ${now}, failed_at = null
    where tenant_id = ${which.tenantId} and job = ${which.job} and key = any(${which.keys}) and failed_at is not null`);
}

/** Remove jobs of these names that finished later than this, so that their keys can be enqueued again. */
export async function removeFinishedLater(execute: Execute, jobs: readonly string[], than: Date): Promise<void> {
  await execute(sql`delete from outbox where finished_at > ${than} and job = any(${jobs})`);
}

/** @returns those of the given jobs that have completed, or that no row knows, such as after a backup was restored */
export async function closedAmong(execute: Execute, ids: readonly string[]): Promise<string[]> {
  const rows = await execute<{ id: string }>(sql`
    select id from unnest(${ids}::text[]) as given(id)
    where not exists (select from outbox where outbox.id = given.id and finished_at is null)`);
  return rows.map(({ id }) => id);
}
