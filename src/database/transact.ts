import type { Pool } from 'pg';
import { causesOf } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { finish } from '#src/outbox/job-state.ts';
import type { DatabaseContext, TenantContext, WithTransaction } from './context.ts';
import { runLimited, runStatement, runTogether, withinExpensiveShare, withinShare } from './run-statement.ts';
import { openTransaction } from './transaction.ts';

/**
 * Do several things as one: all of them happen, or none. Every statement inside is held to the context's tenant.
 * Called inside a transaction it joins it. Never call a provider in here.
 */
export async function transact<Ctx extends TenantContext, Result>(
  ctx: Ctx,
  work: (ctx: WithTransaction<Ctx>) => Promise<Result>,
): Promise<Result> {
  const { tx } = ctx;
  if (tx) return work({ ...ctx, tx });
  return openTransaction(ctx.database, { tenantId: ctx.tenant.id }, (tx) => work({ ...ctx, tx }));
}

/**
 * A transaction of its own whose statements all see the data as they were at the first one. It fails when it writes a
 * row that another transaction has changed since: it is for reading much and writing what is new.
 */
export async function withSnapshot<Ctx extends TenantContext, Result>(
  ctx: Ctx,
  work: (ctx: WithTransaction<Ctx>) => Promise<Result>,
): Promise<Result> {
  const scope = { tenantId: ctx.tenant.id };
  return openTransaction(ctx.database, scope, (tx) => work({ ...ctx, tx }), 'repeatable read');
}

/**
 * The transaction that writes the outcome of the current job: the job is completed in the same commit, so that it is
 * neither executed again after its outcome was written nor lost before. Without a job, `transact`.
 */
export async function completeJob<Ctx extends TenantContext, Result>(
  ctx: Ctx,
  work: (ctx: WithTransaction<Ctx>) => Promise<Result>,
): Promise<Result> {
  return transact(ctx, async (ctx) => {
    const result = await work(ctx);
    if (ctx.attempt) ctx.tx.complete(ctx.attempt, ctx.clock.now());
    return result;
  });
}

/**
 * The transaction that records why the current job failed: the job fails in the same commit, so that a process that is
 * killed right after it leaves no job that runs again without an operator. Without a job, the same as `transact`.
 */
export async function failJob<Ctx extends TenantContext, Result>(
  ctx: Ctx,
  reason: string,
  work: (ctx: WithTransaction<Ctx>) => Promise<Result>,
): Promise<Result> {
  return transact(ctx, async (ctx) => {
    const result = await work(ctx);
    if (ctx.attempt) ctx.tx.fail(ctx.attempt, ctx.clock.now(), reason);
    return result;
  });
}

/**
 * `completeJob` with one statement, where the outcome is a change that may find no row: then the job is not completed.
 * Never inside a transaction, which may still be rolled back.
 * @param statement returns the rows that it changes
 * @returns whether it changed any
 */
export async function completeJobIf(ctx: TenantContext, statement: Sql): Promise<boolean> {
  const { attempt } = ctx;
  const ended = attempt && finish(attempt.outboxId, ctx.clock.now(), sql`exists (select from changed)`);
  const changes = sql`changed as (${statement})`;
  const rows = await write(ctx, ended ? sql`${changes}, ended as (${ended})` : changes, sql`select true from changed`);
  if (attempt) attempt.isCompleted = rows.length > 0;
  return rows.length > 0;
}

/**
 * Work across tenants, which only sweeps, retention and the relay's schedules may do. The reason is for the reader; a
 * test lists every use.
 */
export async function asPlatform<Ctx extends DatabaseContext, Result>(
  ctx: Ctx,
  _reason: string,
  work: (ctx: WithTransaction<Ctx>) => Promise<Result>,
): Promise<Result> {
  return openTransaction(ctx.database, 'platform', (tx) => work({ ...ctx, tx }));
}

/**
 * Continue the platform's open transaction as one tenant: from here to its end every statement is held to that tenant.
 * For creating a tenant and filling it, all or nothing.
 */
export async function continueAs<Ctx extends DatabaseContext, Tenant extends TenantContext['tenant']>(
  ctx: WithTransaction<Ctx>,
  tenant: Tenant,
): Promise<WithTransaction<Ctx & { readonly tenant: Tenant }>> {
  await ctx.tx.execute(
    sql`select set_config('app.platform', 'off', true), set_config('app.tenant_id', ${tenant.id}, true)`,
  );
  return { ...ctx, tenant };
}

export interface ReadOptions {
  /** What may be some seconds old is read from a replica, where there is one. */
  readonly replica?: boolean;
  /** A few rows by an index: not counted in the tenant's share, and may share a connection with others of its kind. */
  readonly brief?: boolean;
  /** Occupies a processor for some milliseconds, as a search does: waits for its turn among others of its kind. */
  readonly expensive?: boolean;
}

/**
 * Read with one statement. Inside a transaction it runs there; outside it carries its tenant with it, so that one
 * round trip is enough and the connection stays clean.
 * @throws Snooze where this tenant's other reads hold half of the connections and do not end soon, where an expensive
 *   one does not get its turn, and where the context limits its time and that is over
 */
export async function read<Row>(
  ctx: TenantContext,
  statement: Sql,
  { replica, brief, expensive }: ReadOptions = {},
): Promise<Row[]> {
  if (ctx.tx) return ctx.tx.execute<Row>(statement);
  const scoped = scopeToTenant(ctx.tenant.id, statement);
  const { database, readTimeoutMs } = ctx;
  const readFrom = (pool: Pool): Promise<Row[]> => {
    if (brief) return runTogether<Row>(pool, scoped);
    const run = () =>
      readTimeoutMs === undefined ? runStatement<Row>(pool, scoped) : runLimited<Row>(pool, scoped, readTimeoutMs);
    return (expensive ? withinExpensiveShare : withinShare)(pool, ctx.tenant.id, run, readTimeoutMs);
  };
  return replica && database.replica ? database.replica.read(readFrom) : readFrom(database.pool);
}

/** The first row of `read`, or `undefined`. */
export async function readOne<Row>(
  ctx: TenantContext,
  statement: Sql,
  options?: ReadOptions,
): Promise<Row | undefined> {
  return (await read<Row>(ctx, statement, options))[0];
}

/** The row of a statement that always has one, such as a `select` without a table. */
export async function readOneOrFail<Row>(ctx: TenantContext, statement: Sql): Promise<Row> {
  const row = await readOne<Row>(ctx, statement);
  if (!row) throw new TypeError('The statement returned no row.');
  return row;
}

/**
 * Change rows with one statement. `changes` are common table expressions, and `query` reads what they return. Outside a
 * transaction the statement is its own transaction and sets its tenant itself: one round trip.
 *
 * PostgreSQL evaluates a changing expression when its rows are first read, which happens inside the tenant's scope.
 */
export async function write<Row>(ctx: TenantContext, changes: Sql, query: Sql): Promise<Row[]> {
  if (ctx.tx) return ctx.tx.execute<Row>(sql`with ${changes} ${query}`);
  return runStatement(ctx.database.pool, sql`with ${changes} ${scopeToTenant(ctx.tenant.id, query)}`);
}

/** The same with one changing statement that returns its rows. */
export async function writeRows<Row>(ctx: TenantContext, statement: Sql): Promise<Row[]> {
  return write(ctx, sql`changed as (${statement})`, sql`select * from changed`);
}

/** Run one statement on the tables that belong to the platform (tenants, keys, outbox), outside any transaction. */
export async function runOnPlatformTables<Row>(ctx: DatabaseContext, statement: Sql): Promise<Row[]> {
  return ctx.tx ? ctx.tx.execute<Row>(statement) : runStatement(ctx.database.pool, statement);
}

/**
 * The outer scan sets the tenant, and the statement runs inside it. The condition on `scope` makes the inner query
 * depend on it, and `offset 0` keeps the planner from merging the two, so that the order of evaluation is certain:
 * row-level security sees the tenant from the first row on.
 */
function scopeToTenant(tenantId: string, statement: Sql): Sql {
  return sql`select scoped.* from set_config('app.tenant_id', ${tenantId}, true) as scope(tenant_id),
    lateral (select inside.* from (${statement}) as inside where scope.tenant_id is not null offset 0) as scoped`;
}

/** The constraint that a statement broke, by its name in the schema; `undefined` for any other error. */
export function brokenConstraint(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if ('constraint' in cause && typeof cause.constraint === 'string') return cause.constraint;
  }
  return undefined;
}
