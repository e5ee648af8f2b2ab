import type { Pool, PoolClient } from 'pg';

/** What a connection is about to send to PostgreSQL. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** What the driver was called with; the last is a callback where nobody awaits the result. */
  readonly given: readonly unknown[];
  /** Send it, with these arguments or as it was given. */
  send(given?: readonly unknown[]): any;
}

/**
 * Pass what the connections of a pool send through functions, one made for each connection: their results stand for
 * PostgreSQL's. Only for what runs alone: two at once through one pool intercept each other's (`test.serial`).
 * @returns what ends it
 */
export function interceptStatements(
  pool: Pool,
  interceptorOf: (client: PoolClient) => (statement: Statement) => unknown,
): () => void {
  const queries = new Map<{ query: unknown }, Function>();
  const watch = (client: PoolClient): void => {
    if (queries.has(client)) return;
    const query: Function = client.query;
    const intercept = interceptorOf(client);
    queries.set(client, query);
    Object.assign(client, {
      query: (...given: unknown[]) =>
        intercept({ ...statementOf(given), given, send: (changed = given) => query.apply(client, changed) }),
    });
  };
  pool.on('acquire', watch);
  return () => {
    pool.off('acquire', watch);
    for (const [client, query] of queries) client.query = query;
  };
}

function statementOf([first, second]: readonly unknown[]): Pick<Statement, 'text' | 'values'> {
  if (typeof first === 'string') return { text: first, values: Array.isArray(second) ? second : [] };
  const { text, values = [] } = first as { text: string; values?: readonly unknown[] };
  return { text, values };
}
