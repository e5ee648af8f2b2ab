import type { Services } from '#src/services.ts';

/** Ends a simulated process: nothing after it runs. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * Do something in a process that ends just before its `step`-th statement (1 is the first): PostgreSQL rolls back what
 * was not committed, and nothing that follows happens. Returns whether it ended. Call it with each step in turn.
 */
export async function dieAt(services: Services, step: number, work: () => Promise<unknown>): Promise<boolean> {
  const { pool } = services.context().database;
  let sent = 0;
  let died = false;
  const restores: (() => void)[] = [];
  const watched = new Set<object>();

  const watch = (client: { query: Function }): void => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query;
    client.query = (...given: unknown[]) => {
      const [first] = given;
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      if (/^\s*rollback/i.test(text)) return query.apply(client, given);
      sent += 1;
      died ||= sent >= step;
      if (!died) return query.apply(client, given);
      const callback = given.at(-1);
      const killed = new Killed(`died before statement ${step}`);
      return typeof callback === 'function' ? void callback(killed) : Promise.reject(killed);
    };
    restores.push(() => void (client.query = query));
  };
  pool.on('acquire', watch);
  try {
    await work();
  } catch (error) {
    if (!died) throw error;
  } finally {
    pool.off('acquire', watch);
    for (const restore of restores) restore();
  }
  return died;
}
