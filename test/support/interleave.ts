import { seconds } from '#src/lib/duration.ts';
import type { Services } from '#src/services.ts';
import { countLockWaits } from './count-lock-waits.ts';
import { interceptStatements } from './intercept-statements.ts';
import { until } from './until.ts';

/**
 * Do something and, just before its `step`-th statement (1 is the first), something else: all of it, or as far as it
 * gets until it waits for what the first has locked or is looking up. Returns whether there was such a statement, so
 * that rising steps force the second into every gap of the first. The beginning of a transaction is none: what comes
 * before it comes before its first statement, too, unless it takes a snapshot. With `counts`, only the statements of
 * which it says so are counted.
 */
export async function interleave(
  services: Services,
  step: number,
  work: () => Promise<unknown>,
  intrude: () => Promise<unknown>,
  { counts = () => true }: { counts?: (text: string) => boolean } = {},
): Promise<boolean> {
  let sent = 0;
  let intrusion: Promise<unknown> | undefined;

  async function intrudeAsFarAsPossible(): Promise<void> {
    let over = false;
    intrusion = intrude().finally(() => (over = true));
    intrusion.catch(() => undefined);
    const ends = until(async () => over || (await countLockWaits(services.context())) > 0, { withinMs: seconds(10) });
    // It may also wait in this process, for what the first is looking up: then the first goes on.
    await ends.catch(() => undefined);
  }

  const end = interceptStatements(services.context().database.pool, () => {
    let paused: Promise<void> | undefined;
    return ({ text, given, send }) => {
      if (!intrusion && !beginning.test(text) && counts(text)) {
        sent += 1;
        if (sent >= step) paused = intrudeAsFarAsPossible();
      }
      if (!paused) return send();
      // A commit is sent along with the last statement: what follows on this connection waits its turn.
      const turn = paused.then(() => send());
      return typeof given.at(-1) === 'function' ? undefined : turn;
    };
  });
  try {
    await work();
    await intrusion;
    return intrusion !== undefined;
  } finally {
    end();
  }
}

const beginning = /^begin;/;
