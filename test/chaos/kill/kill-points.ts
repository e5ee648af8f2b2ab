import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Services } from '#src/services.ts';

/** The points of a task at which a process could be killed. */
export interface KillPoints {
  /** How many have passed. */
  readonly passed: number;
  end(): void;
}

/**
 * Kill this process (SIGKILL: without cleanup) at the `killPoint`-th point of what follows; 0: never. The points are
 *
 *   before a statement, or the begin or end of a transaction, is sent
 *   after it was sent and before its response is read: it takes effect
 *   when a call to a provider is sent
 *   when its response has arrived and is not read yet
 *
 * Between two of them nothing leaves the process, so a kill there is the same as at one of them.
 */
export function killAtPoint(services: Services, killPoint: number): KillPoints {
  const { pool } = services.context().database;
  const watched = new Map<{ query: Function }, Function>();
  let passed = 0;
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  const isKillPoint = (): boolean => (passed += 1) === killPoint;
  const countPoint = (): void => {
    if (isKillPoint()) die();
  };
  const watch = (client: { query: Function }): void => {
    if (watched.has(client)) return;
    const query = client.query;
    watched.set(client, query);
    client.query = (...given: unknown[]) => {
      countPoint();
      const response = query.apply(client, given);
      // The kernel has the written bytes by then, and no response is read before.
      if (isKillPoint()) setImmediate(die);
      return response;
    };
  };

  pool.on('acquire', watch);
  subscribe('http.client.request.start', countPoint);
  subscribe('http.client.response.finish', countPoint);
  return {
    get passed() {
      return passed;
    },
    end() {
      pool.off('acquire', watch);
      unsubscribe('http.client.request.start', countPoint);
      unsubscribe('http.client.response.finish', countPoint);
      for (const [client, query] of watched) client.query = query;
    },
  };
}
