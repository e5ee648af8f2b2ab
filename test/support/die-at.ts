import type { Services } from '#src/services.ts';
import { interceptStatements } from './intercept-statements.ts';

/** Ends a simulated process: nothing after it runs. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * Do something in a process that ends just before its `step`-th statement (1 is the first): PostgreSQL rolls back what
 * was not committed, and nothing that follows happens. Returns whether it ended. Call it with each step in turn.
 *
 * @param from steps are counted from the first statement that matches
 */
export async function dieAt(
  services: Services,
  step: number,
  work: () => Promise<unknown>,
  { from = /^/ }: { from?: RegExp } = {},
): Promise<boolean> {
  let sent = 0;
  let died = false;
  const end = interceptStatements(services.context().database.pool, () => ({ text, given, send }) => {
    if (/^\s*rollback/i.test(text)) return send();
    if (sent > 0 || from.test(text)) sent += 1;
    died ||= sent >= step;
    if (!died) return send();
    const callback = given.at(-1);
    const killed = new Killed(`died before statement ${step}`);
    return typeof callback === 'function' ? void callback(killed) : Promise.reject(killed);
  });
  try {
    await work();
  } catch (error) {
    if (!died) throw error;
  } finally {
    end();
  }
  return died;
}
