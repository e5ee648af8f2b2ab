import type { Pool, PoolClient, QueryConfig } from 'pg';

import type { Database } from '#src/database/connections.ts';
import { rawSql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';

/** Rows that PostgreSQL handles for one statement, in all steps of its plan, those that it throws away included. */
export interface RowsHandled {
  /** By the plan for the values that were given. */
  readonly custom: number;
  /** With the generic plan, which a connection uses for frequent statements. */
  readonly generic: number;
}

/**
 * Prevent PostgreSQL from analyzing these tables, as if they had just been filled: its plans must be good all the same.
 */
export async function leaveUnanalyzed(services: Services, tables: readonly string[]): Promise<void> {
  for (const table of tables) await services.execute(rawSql(`alter table ${table} set (autovacuum_enabled = off)`));
}

/**
 * Do something with these connections and return, for each statement like `pattern`, how many rows it makes PostgreSQL
 * handle.
 */
export async function rowsHandled(
  database: Database,
  pattern: RegExp,
  work: (database: Database) => Promise<unknown>,
): Promise<RowsHandled[]> {
  const handled: Promise<RowsHandled>[] = [];

  function watch(client: PoolClient): PoolClient {
    let isOpen = false;
    const query = async (given: string | QueryConfig, values?: unknown[]) => {
      isOpen ||= typeof given === 'string' && /^begin\b/.test(given);
      if (typeof given === 'string' || !pattern.test(given.text)) return client.query(given as QueryConfig, values);
      // What is alone is explained in a transaction of its own.
      const frame = (word: string) => (isOpen ? undefined : client.query(word));
      const begun = frame('begin');
      handled.push(probe(client, given));
      const [, result] = await Promise.all([begun, client.query(given, values), frame('commit')]);
      return result;
    };
    return new Proxy(client, { get: (target, name) => (name === 'query' ? query : bound(target, name)) });
  }

  function watchPool(pool: Pool): Pool {
    const connect = async () => watch(await pool.connect());
    const query = async (given: QueryConfig) => {
      const client = await connect();
      return client.query(given).finally(() => client.release());
    };
    return new Proxy(pool, {
      get: (target, name) => (name === 'connect' ? connect : name === 'query' ? query : bound(target, name)),
    });
  }

  await work({ ...database, pool: watchPool(database.pool), replica: watchPool(database.replica) });
  return Promise.all(handled);
}

/** Have a statement explained by what it does, twice, and undone. What is sent to a connection happens in its order. */
async function probe(client: PoolClient, { text, values = [] }: QueryConfig): Promise<RowsHandled> {
  const given = values.length > 0 ? `(${values.map((value) => literalOf(client, value)).join()})` : '';
  const explain = (plan: 'custom' | 'generic') =>
    [
      client.query(`set local plan_cache_mode = force_${plan}_plan`),
      client.query(`explain (analyze, timing off, format json) execute probe${given}`),
      client.query('rollback to savepoint probe'),
    ] as const;
  const [, , [, custom], [, generic]] = await Promise.all([
    client.query('savepoint probe'),
    client.query(`prepare probe as ${text}`),
    Promise.all(explain('custom')),
    Promise.all(explain('generic')),
    client.query('deallocate probe'),
  ]);
  return {
    custom: rowsOf(custom.rows[0]['QUERY PLAN'][0].Plan),
    generic: rowsOf(generic.rows[0]['QUERY PLAN'][0].Plan),
  };
}

/** A value as SQL has it: an explained statement takes no parameters. */
function literalOf(client: PoolClient, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return client.escapeLiteral(value.toISOString());
  return client.escapeLiteral(
    Array.isArray(value) ? `{${value.map((item) => JSON.stringify(item)).join()}}` : String(value),
  );
}

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly [measure: string]: unknown;
}

const measures = [
  'Actual Rows',
  'Rows Removed by Filter',
  'Rows Removed by Join Filter',
  'Rows Removed by Index Recheck',
];

function rowsOf(node: PlanNode): number {
  const rows = measures.reduce((sum, name) => sum + Number(node[name] ?? 0), 0);
  return rows * Number(node['Actual Loops'] ?? 0) + (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}
