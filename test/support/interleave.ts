import type { Services } from '#src/services.ts';
import { until } from './until.ts';

/**
 * Do something and, just before its `step`-th statement (1 is the first), something else: all of it, or as far as it
 * gets until it waits for what the first has locked. Returns whether there was such a statement, so that rising steps
 * force the second into every gap of the first.
 */
export async function interleave(
  services: Services,
  step: number,
  work: () => Promise<unknown>,
  intrude: () => Promise<unknown>,
): Promise<boolean> {
  const { pool } = services.context().database;
  const watched = new Set<object>();
  const restores: (() => void)[] = [];
  let sent = 0;
  let intrusion: Promise<unknown> | undefined;

  async function intrudeAsFarAsPossible(): Promise<void> {
    let over = false;
    intrusion = intrude().finally(() => (over = true));
    intrusion.catch(() => undefined);
    await until(async () => over || (await waitsForLock(services)), { what: 'the intrusion to end or to wait' });
  }

  const watch = (client: { query: Function }): void => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query;
    let paused: Promise<void> | undefined;
    client.query = (...given: unknown[]) => {
      if (!intrusion) {
        sent += 1;
        if (sent >= step) paused = intrudeAsFarAsPossible();
      }
      if (!paused) return query.apply(client, given);
      // A commit is sent along with the last statement: what follows on this connection waits its turn.
      const turn = paused.then(() => query.apply(client, given));
      return typeof given.at(-1) === 'function' ? undefined : turn;
    };
    restores.push(() => void (client.query = query));
  };
  pool.on('acquire', watch);
  try {
    await work();
    await intrusion;
    return intrusion !== undefined;
  } finally {
    pool.off('acquire', watch);
    for (const restore of restores) restore();
  }
}

async function waitsForLock(services: Services): Promise<boolean> {
  const { rows } = await services.context().database.pool.query(`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.length > 0;
}
