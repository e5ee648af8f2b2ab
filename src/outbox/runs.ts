import { type Sql, sql } from '#src/lib/sql.ts';
import type { TraceCarrier } from '#src/lib/tracing.ts';

/** Something that runs a statement: a pool, or an open transaction. */
export type Run = <Row>(statement: Sql) => Promise<Row[]>;

/** A promise as the worker that takes it up reads it. */
export interface StartedPromise {
  id: string;
  tenantId: string | null;
  job: string;
  payload: unknown;
  /** Starts without an outcome, this one included. */
  starts: number;
  requestId: string | null;
  trace: TraceCarrier;
  dueAt: Date;
  /** Whether an operator retried it after it had failed. */
  manual: boolean;
  /** Why it failed; null while it has not. What failed is not executed again before an operator retries it. */
  failure: string | null;
}

/**
 * Start jobs, counting the start of each that is open. What is finished or unknown is not returned: there is nothing to
 * do. What failed is returned as it is: a queue may hold it still, because the process died that was to say so.
 */
export async function startPromises(run: Run, ids: readonly string[]): Promise<ReadonlyMap<string, StartedPromise>> {
  // One is found by its key whatever the planner believes of the table; for several it may keep a plan that reads all of it.
  const isAsked = ids.length === 1 ? sql`id = ${ids[0]}` : sql`id = any(${ids})`;
  const rows = await run<StartedPromise>(sql`
    update outbox set starts = starts + (failed_at is null)::int
    where ${isAsked} and finished_at is null
    returning id, tenant_id as "tenantId", job, payload, starts, request_id as "requestId", trace,
              due_at as "dueAt", manual, case when failed_at is not null then failure end as failure`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The promise is kept. */
export async function finishPromise(run: Run, id: string, now: Date): Promise<void> {
  await run(finish(id, now));
}

/** The statement of `finishPromise`, for a transaction that keeps a promise with its last one. */
export function finish(id: string, now: Date): Sql {
  return sql`
    update outbox set finished_at = ${now}, failed_at = null, next_relay_at = null where id = ${id} and finished_at is null`;
}

/** The run ended without keeping the promise and another will follow: starts count only what died unseen. */
export async function postponePromise(run: Run, id: string): Promise<void> {
  await run(sql`update outbox set starts = 0 where id = ${id}`);
}

/** The promise is given up, for a person to look at. Nothing relays it again. */
export async function failPromise(run: Run, id: string, now: Date, failure: string): Promise<void> {
  await run(fail(id, now, failure));
}

/** The statement of `failPromise`, for a transaction that fails a job with its last one. A retry has then had its outcome. */
export function fail(id: string, now: Date, failure: string): Sql {
  return sql`
    update outbox set failed_at = ${now}, failure = ${failure}, next_relay_at = null, starts = 0, manual = false
    where id = ${id} and next_relay_at is not null`;
}

/**
 * An operator retries a failed job of a queue, or all of them: each is due again, and its row says that it was retried.
 * Returns how many there were. The relay carries them, also where the queue holds them as failed.
 */
export async function retryFailed(run: Run, { queue, id }: { queue: string; id?: string }, now: Date): Promise<number> {
  const rows = await run(sql`
    update outbox set failed_at = null, failure = null, next_relay_at = ${now}, relays = 0, manual = true
    where queue = ${queue} and ${id === undefined ? sql`true` : sql`id = ${id}`} and failed_at is not null
    returning id`);
  return rows.length;
}

/** What failed need not be done any more: somebody saw to it otherwise. Retrying it does nothing, and boards drop it. */
export async function closeFailed(run: Run, which: { tenantId: string; job: string; keys: readonly string[] }, now: Date): Promise<void> {
  await run(sql`
    update outbox set finished_at = ${now}, failed_at = null
    where tenant_id = ${which.tenantId} and job = ${which.job} and key = any(${which.keys}) and failed_at is not null`);
}

/** Of these promises, the ones that are kept. */
export async function keptAmong(run: Run, ids: readonly string[]): Promise<string[]> {
  const rows = await run<{ id: string }>(sql`select id from outbox where id = any(${ids}) and finished_at is not null`);
  return rows.map(({ id }) => id);
}
