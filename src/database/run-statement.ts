import type { Pool } from 'pg';
import { Bulkhead } from '#src/lib/bulkhead.ts';
import { shortDigest } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Sql } from '#src/lib/sql.ts';

/** Run one statement, as a transaction of its own. */
export async function runStatement<Row>(pool: Pool, statement: Sql): Promise<Row[]> {
  const { rows } = await pool.query(preparedQuery(statement));
  return rows as Row[];
}

const bulkheads = new WeakMap<Pool, Bulkhead>();

/**
 * Do a read that holds a connection of this pool. The reads of one tenant hold at most half of the pool together, so
 * that however slow they are the other tenants find a connection.
 * @throws Snooze when no connection of the tenant's half is free in time
 */
export function withinShare<Result>(pool: Pool, tenantId: string, read: () => Promise<Result>): Promise<Result> {
  let bulkhead = bulkheads.get(pool);
  if (!bulkhead) {
    bulkhead = new Bulkhead({
      max: Math.max(1, Math.floor(pool.options.max / 2)),
      waitMs: seconds(2),
      errorWhenFull: () => new Snooze(seconds(1), 'The store is very busy. Try again in a moment.'),
    });
    bulkheads.set(pool, bulkhead);
  }
  return bulkhead.run(tenantId, read);
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
