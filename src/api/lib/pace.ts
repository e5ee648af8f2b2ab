import { setTimeout as wait } from 'node:timers/promises';

import { Bulkhead, runWithin } from '#src/lib/bulkhead.ts';
import { tooBusy } from '#src/lib/errors.ts';
import { watchThread } from '#src/lib/watch-thread.ts';

/** How many expensive requests of one store wait for their turn. */
const waitingMax = 50;

/** Below the share of the thread that paced requests take themselves, so that they stay paced. */
const busyFrom = 0.2;
/** What follows the thread's time for an expensive request: so such requests take at most a third of it. */
const pauseFactor = 2;

/** How many are served at once while the thread is not busy: more would make it busy before it is measured again. */
const fewAtOnce = 2;

/**
 * Paces expensive requests, such as searches. As long as the thread of this process is busy, they are served one after
 * the other, each followed by a pause twice as long as the thread was active meanwhile, and stores take turns: so at
 * least two thirds of the time are left for the carts and checkouts of all stores. Requests that wait cost nothing.
 */
export class Pace {
  readonly #ofStore: Bulkhead;
  readonly #ofAll: Bulkhead;
  readonly #waitMs: number;
  readonly #isBusy: () => boolean;
  readonly #pause: (milliseconds: number) => Promise<unknown>;
  #unpaced = 0;

  constructor({
    waitMs,
    isBusy = watchThread(busyFrom),
    pause = wait,
  }: {
    waitMs: number;
    isBusy?: () => boolean;
    pause?: (milliseconds: number) => Promise<unknown>;
  }) {
    const options = { max: 1, waitMs, errorWhenFull: tooBusy };
    this.#ofStore = new Bulkhead({ ...options, waitingMax });
    this.#ofAll = new Bulkhead(options);
    this.#waitMs = waitMs;
    this.#isBusy = isBusy;
    this.#pause = pause;
  }

  /** @throws Snooze when too many of the store wait, or the turn does not come in time */
  run<Result>(tenantId: string, serve: () => Promise<Result>): Promise<Result> {
    return this.#unpaced < fewAtOnce && !this.#isBusy() ? this.#serveAtOnce(serve) : this.#serveInTurn(tenantId, serve);
  }

  async #serveAtOnce<Result>(serve: () => Promise<Result>): Promise<Result> {
    this.#unpaced += 1;
    try {
      return await serve();
    } finally {
      this.#unpaced -= 1;
    }
  }

  #serveInTurn<Result>(tenantId: string, serve: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const serveAndPause = async () => {
        const before = performance.eventLoopUtilization();
        await serve().then(resolve, reject);
        if (this.#isBusy()) await this.#pause(pauseFactor * performance.eventLoopUtilization(before).active);
      };
      const inOrder = [
        [this.#ofStore, tenantId],
        [this.#ofAll, 'all'],
      ] as const;
      runWithin(inOrder, serveAndPause, this.#waitMs).catch(reject);
    });
  }
}
