import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Services } from '#src/services.ts';
import { interceptStatements } from '#test/support/intercept-statements.ts';

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
  let passed = 0;
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  const isKillPoint = (): boolean => (passed += 1) === killPoint;
  const countPoint = (): void => {
    if (isKillPoint()) die();
  };
  const end = interceptStatements(services.context().database.pool, () => ({ send }) => {
    countPoint();
    const response = send();
    // The kernel has the written bytes by then, and no response is read before.
    if (isKillPoint()) setImmediate(die);
    return response;
  });
  subscribe('http.client.request.start', countPoint);
  subscribe('http.client.response.finish', countPoint);
  return {
    get passed() {
      return passed;
    },
    end() {
      end();
      unsubscribe('http.client.request.start', countPoint);
      unsubscribe('http.client.response.finish', countPoint);
    },
  };
}
