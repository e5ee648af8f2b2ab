import type { Static, TObject } from 'typebox';
import type { JobDefinition } from '#jobs/lib/define-job.ts';
import { type Clock, fromNow } from '#src/lib/clock.ts';
import { currentCorrelation } from '#src/lib/correlation.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { currentTrace, type TraceCarrier } from '#src/lib/tracing.ts';
import type { EventType, RecordedEvent } from './events.ts';

/**
 * Enqueue a job: when the transaction commits, the job will be executed, whatever happens to Redis or to a process;
 * when it rolls back, there is no job. An earlier job with the same tenant, name and key is not enqueued again.
 *
 * Throws outside a transaction: the job and its cause must be committed together.
 */
export function enqueue<Schema extends TObject>(
  ctx: OutboxContext,
  job: JobDefinition<Schema>,
  payload: Static<Schema>,
  options: { dueAt?: Date } = {},
): void {
  if (!ctx.tx) throw new TypeError(`${job.name} was enqueued outside a transaction.`);
  ctx.tx.jobs.push(outboxJobOf(ctx, job, payload, options));
}

/** Enqueue a job of this store, in a transaction that is of no store: one statement finds what is due in all of them. */
export function enqueueFor<Schema extends TObject>(
  ctx: OutboxContext,
  tenantId: string,
  job: JobDefinition<Schema>,
  payload: Static<Schema>,
  options?: { dueAt?: Date },
): void {
  enqueue({ ...ctx, tenant: { id: tenantId } }, job, payload, options);
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

/** A job to be enqueued: one row, written in the transaction that causes it. */
export interface OutboxJob {
  readonly id: string;
  readonly tenantId: string | null;
  readonly job: string;
  readonly queue: string;
  readonly key: string;
  readonly payload: object;
  readonly dueAt: Date;
  readonly requestId: string | null;
  readonly trace: TraceCarrier;
}

/** The parts of a context that the outbox uses: an open transaction, the tenant if there is one, and the clock. */
export interface OutboxContext {
  readonly tx?: {
    execute<Row>(statement: Sql): Promise<Row[]>;
    /** Written just before the commit. */
    readonly jobs: OutboxJob[];
    readonly events: RecordedEvent[];
  };
  readonly tenant?: { readonly id: string };
  readonly clock: Clock;
}

/**
 * The statement that inserts jobs. A job that exists already (same tenant, job and key) is not inserted again.
 *
 * @param onlyWhere a condition on `new_job`, whose columns are named after the fields of OutboxJob
 */
export function insertJobs(jobs: readonly OutboxJob[], onlyWhere: Sql = sql`true`): Sql {
  return sql`
    insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, request_id, trace)
    select id, "tenantId", job, queue, key, payload, "dueAt", "dueAt", "requestId", trace
    from jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
      as new_job(id text, "tenantId" text, job text, queue text, key text, payload jsonb, "dueAt" timestamptz,
                 "requestId" text, trace jsonb)
    where ${onlyWhere}
    on conflict (tenant_id, job, key) do nothing`;
}

/**
 * Record an event in the transaction that causes it, with its deliveries to subscribed endpoints.
 * @returns the id of the event
 */
export function recordEvent(
  ctx: OutboxContext & {
    readonly tenant: { readonly id: string };
    readonly settings: { readonly webhookRetryScheduleMs: readonly number[] };
  },
  type: EventType,
  objectId: string,
): string {
  if (!ctx.tx) throw new TypeError(`${type} was recorded outside a transaction.`);
  const id = newId('evt');
  ctx.tx.events.push({
    id,
    tenant_id: ctx.tenant.id,
    type,
    object_id: objectId,
    at: ctx.clock.now(),
    due_at: fromNow(ctx.clock, ctx.settings.webhookRetryScheduleMs[0] ?? 0),
    request_id: currentCorrelation()?.requestId ?? null,
    trace: currentTrace(),
  });
  return id;
}
