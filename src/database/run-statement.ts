import { availableParallelism } from 'node:os';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import { awaitAll } from '#src/lib/await-all.ts';
import { Bulkhead, runWithin } from '#src/lib/bulkhead.ts';
import { shortDigest } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { codeOf, tooBusy } from '#src/lib/errors.ts';
import type { Sql } from '#src/lib/sql.ts';

/** How much longer than the limit of a statement its response is awaited. */
export const responseMarginMs = seconds(3);

/** Run one statement, as a transaction of its own. */
export async function runStatement<Row>(pool: Pool, statement: Sql): Promise<Row[]> {
  const { rows } = await pool.query(preparedQuery(statement));
  return rows as Row[];
}

/**
 * Run one statement, and let PostgreSQL end it when it takes longer than this.
 * @throws Snooze when it was ended
 */
export async function runLimited<Row>(pool: Pool, statement: Sql, timeoutMs: number): Promise<Row[]> {
  try {
    const query = limitQuery(preparedQuery(statement), timeoutMs);
    return await runSet<Row>(pool, `set local statement_timeout = ${timeoutMs}`, query);
  } catch (error) {
    if (error instanceof Error && codeOf(error) === queryCanceled) throw tooBusy();
    throw error;
  }
}

/**
 * Run one statement by a plan that does not depend on its values and reads tables by index, so that it stays good when
 * they grow. For long statements that run often: each time, PostgreSQL would otherwise plan them for longer than they
 * run.
 */
export async function runPlanned<Row>(pool: Pool, statement: Sql): Promise<Row[]> {
  const settings = 'set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off';
  return runSet<Row>(pool, settings, preparedQuery(statement));
}

/** Run one query with settings of its own, in one round trip. */
async function runSet<Row>(pool: Pool, settings: string, query: QueryConfig): Promise<Row[]> {
  const client = await pool.connect();
  try {
    const [, { rows }] = await awaitAll(
      client.query(`begin; ${settings}`),
      client.query(query),
      client.query('commit'),
    );
    client.release();
    return rows as Row[];
  } catch (error) {
    client.release(true);
    throw error;
  }
}

const queryCanceled = '57014';

const backgroundWaitMs = seconds(30);
/** How many expensive reads of one tenant wait for their turn. */
const waitingMax = 50;

interface Shares {
  /** The reads of a tenant. */
  readonly reads: Bulkhead;
  /** The expensive ones of a tenant, and of all tenants. */
  readonly expensive: Bulkhead;
  readonly expensiveOfAll: Bulkhead;
}

const shares = new WeakMap<Pool, Shares>();

function sharesOf(pool: Pool): Shares {
  const known = shares.get(pool);
  if (known) return known;
  const half = (count: number) => Math.max(1, Math.floor(count / 2));
  const ofPool = half(pool.options.max);
  const ofAll = Math.min(ofPool, availableParallelism());
  const options = { waitMs: backgroundWaitMs, errorWhenFull: tooBusy };
  const created = {
    reads: new Bulkhead({ ...options, max: ofPool }),
    expensive: new Bulkhead({ ...options, max: half(ofAll), waitingMax }),
    expensiveOfAll: new Bulkhead({ ...options, max: ofAll }),
  };
  shares.set(pool, created);
  return created;
}

/**
 * Do a read that holds a connection of this pool. The reads of one tenant hold at most half of the pool together, so
 * that however slow they are the other tenants find a connection.
 * @param waitMs how long it waits for one of the tenant's half; the default is for work that nobody waits for
 * @throws Snooze when none is free in time
 */
export function withinShare<Result>(
  pool: Pool,
  tenantId: string,
  read: () => Promise<Result>,
  waitMs = backgroundWaitMs,
): Promise<Result> {
  return sharesOf(pool).reads.run(tenantId, read, waitMs);
}

/**
 * `withinShare` for an expensive read, in its turn, so that processors are left for all that is not expensive. As many
 * run at once as there are processors, but on at most half of the pool, and of one tenant half as many. Further ones
 * wait, each tenant in a line of its own; of the first in each line, one after the other is served.
 * @throws Snooze when the tenant's line is too long, or the turn does not come in time
 */
export function withinExpensiveShare<Result>(
  pool: Pool,
  tenantId: string,
  read: () => Promise<Result>,
  waitMs = backgroundWaitMs,
): Promise<Result> {
  const { reads, expensive, expensiveOfAll } = sharesOf(pool);
  // What all tenants share is taken last, so that none holds it while it waits for its own share.
  const inOrder = [
    [expensive, tenantId],
    [reads, tenantId],
    [expensiveOfAll, 'all'],
  ] as const;
  return runWithin(inOrder, read, waitMs);
}

/** A connection of the pool, shared by all statements of the same iteration of the event loop. */
interface SharedClient {
  readonly client: Promise<PoolClient>;
  users: number;
  hasFailed: boolean;
}

/** So few that what comes meanwhile takes the next connection, rather than wait for all of them. */
const usersMax = 10;

/** For each pool, the connection that statements can still join. */
const joinable = new WeakMap<Pool, SharedClient>();

/**
 * Run one statement on a connection that it shares with the other statements of the same iteration of the event loop:
 * they are pipelined. Each is a transaction of its own and fails alone. Only for short reads: the statements behind one
 * wait for it, and a statement that waits for a lock could deadlock with one behind it.
 */
export async function runTogether<Row>(pool: Pool, statement: Sql): Promise<Row[]> {
  const shared = joinable.get(pool) ?? share(pool);
  shared.users += 1;
  if (shared.users === usersMax) joinable.delete(pool);
  const client = await shared.client;
  try {
    const { rows } = await client.query(preparedQuery(statement));
    return rows as Row[];
  } catch (error) {
    shared.hasFailed = true;
    throw error;
  } finally {
    shared.users -= 1;
    // As the pool itself does: a connection on which something failed is not used again.
    if (shared.users === 0) client.release(shared.hasFailed);
  }
}

function share(pool: Pool): SharedClient {
  const shared: SharedClient = { client: connect(), users: 0, hasFailed: false };
  joinable.set(pool, shared);
  return shared;

  async function connect(): Promise<PoolClient> {
    await nextIteration();
    try {
      return await pool.connect();
    } finally {
      if (joinable.get(pool) === shared) joinable.delete(pool);
    }
  }
}

/** The query with another time limit than the connection's. The caller sets it in PostgreSQL itself. */
export function limitQuery<Query extends object>(query: Query, timeoutMs: number): Query & { query_timeout: number } {
  return { ...query, query_timeout: timeoutMs + responseMarginMs };
}

const names = new Map<string, string>();

/**
 * A name for each statement's text lets PostgreSQL reuse its plan. All texts come from our own code, so there are few.
 */
export function preparedQuery({ text, values }: Pick<Sql, 'text' | 'values'>): {
  name: string;
  text: string;
  values: unknown[];
} {
  let name = names.get(text);
  if (!name) names.set(text, (name = shortDigest(text, 24)));
  return { name, text, values: [...values] };
}
