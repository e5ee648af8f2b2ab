import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import type { Services } from '#src/services.ts';

/** The moments of some work at which a process could die, as they pass. */
export interface Moments {
  /** How many have passed. */
  readonly passed: number;
  end(): void;
}

/**
 * Kill this process (SIGKILL: nothing is tidied up) at the `fatal`-th moment of what follows; 0 never. The moments are
 *
 *   before a statement, or what begins and ends a transaction, is sent
 *   when it was sent and no answer has been read: what it does, it does
 *   when a call to a provider leaves
 *   when its answer has come and nobody has read it
 *
 * Between two of them nothing leaves the process, so dying there is dying at one of them.
 */
export function dieAtMoment(services: Services, fatal: number): Moments {
  const { pool } = services.context().database;
  const watched = new Map<{ query: Function }, Function>();
  let passed = 0;
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  const isFatal = (): boolean => (passed += 1) === fatal;
  const dieNow = (): void => {
    if (isFatal()) die();
  };
  const watch = (client: { query: Function }): void => {
    if (watched.has(client)) return;
    const query = client.query;
    watched.set(client, query);
    client.query = (...given: unknown[]) => {
      dieNow();
      const answer = query.apply(client, given);
      // What was written is with the kernel by then, and no answer is read before.
      if (isFatal()) setImmediate(die);
      return answer;
    };
  };

  pool.on('acquire', watch);
  subscribe('http.client.request.start', dieNow);
  subscribe('http.client.response.finish', dieNow);
  return {
    get passed() {
      return passed;
    },
    end() {
      pool.off('acquire', watch);
      unsubscribe('http.client.request.start', dieNow);
      unsubscribe('http.client.response.finish', dieNow);
      for (const [client, query] of watched) client.query = query;
    },
  };
}
