import { setTimeout as pause } from 'node:timers/promises';

import { Bulkhead } from '#src/lib/bulkhead.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { watchThread } from '#src/lib/watch-thread.ts';

/** How many expensive requests of one store wait for their turn. */
const waitingMax = 50;

/** How many are served at once while the thread is not busy: more would make it busy before it is measured again. */
const fewAtOnce = 2;

/**
 * Paces expensive requests, such as searches. As long as the thread of this process is busy, they are served one after
 * the other, each followed by a pause as long as it took, and stores take turns: so at least half of the time is left
 * for the carts and checkouts of all stores. Requests that wait cost nothing.
 */
export class Pace {
  readonly #ofStore: Bulkhead;
  readonly #ofAll: Bulkhead;
  readonly #isBusy: () => boolean;
  #unpaced = 0;

  constructor({ waitMs, isBusy = watchThread() }: { waitMs: number; isBusy?: () => boolean }) {
    const options = { max: 1, waitMs, errorWhenFull: tooBusy };
    this.#ofStore = new Bulkhead({ ...options, waitingMax });
    this.#ofAll = new Bulkhead(options);
    this.#isBusy = isBusy;
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
        const beganAt = performance.now();
        await serve().then(resolve, reject);
        if (this.#isBusy()) await pause(performance.now() - beganAt);
      };
      this.#ofStore.run(tenantId, () => this.#ofAll.run('all', serveAndPause)).catch(reject);
    });
  }
}

const tooBusy = () => new Snooze(seconds(1), 'The store is very busy. Try again in a moment.');
