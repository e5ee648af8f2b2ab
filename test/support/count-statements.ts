import type { Services } from '#src/services.ts';

/** What PostgreSQL was sent while something happened. */
export interface CountedStatements<Result> {
  result: Result;
  statements: string[];
}

/** The frame of a transaction and the setting of its tenant are the same everywhere, and not counted. */
const frame = /^\s*(begin|start transaction|commit|rollback|savepoint|release savepoint|set |select set_config\()/i;

export const isFrame = (text: string): boolean => frame.test(text);

/**
 * Do something and return the statements that PostgreSQL received through the services' pool, in the order in which
 * they were sent. Only for what runs alone: two at once through one pool count each other's (`test.serial`).
 */
export async function countStatements<Result>(
  services: Services,
  work: () => Promise<Result>,
): Promise<CountedStatements<Result>> {
  const { pool } = services.context().database;
  const statements: string[] = [];
  const restores: (() => void)[] = [];
  const watched = new Set<object>();

  const watch = (client: { query: Function }): void => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query;
    client.query = (...given: unknown[]) => {
      const [first] = given;
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      if (!isFrame(text)) statements.push(text);
      return query.apply(client, given);
    };
    restores.push(() => void (client.query = query));
  };
  pool.on('acquire', watch);
  try {
    return { result: await work(), statements };
  } finally {
    pool.off('acquire', watch);
    for (const restore of restores) restore();
  }
}
