import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';

export interface BulkheadOptions {
  /** How many works of one key run at once. */
  readonly max: number;
  /** How long one more waits for its turn. */
  readonly waitMs: number;
  /** The error for one whose turn did not come in time: it was not started. */
  readonly errorWhenFull: () => Error;
}

/**
 * Limits the concurrent work of each key, so that a burst of one uses up nothing that the others need. What comes
 * beyond the limit waits for its turn in the order of arrival, briefly.
 */
export class Bulkhead {
  readonly #options: BulkheadOptions;
  /** Of the keys whose work is running, and of those whose last waiter gave up. */
  readonly #semaphores = new Map<string, Semaphore>();

  constructor(options: BulkheadOptions) {
    this.#options = options;
  }

  /**
   * @param waitMs how long this work waits for its turn, if not as long as the others
   * @throws the error of a full bulkhead, or whatever `work` throws
   */
  async run<Result>(key: string, work: () => Promise<Result>, waitMs = this.#options.waitMs): Promise<Result> {
    const release = await this.#enter(key, waitMs);
    try {
      return await work();
    } finally {
      release();
    }
  }

  async #enter(key: string, waitMs: number): Promise<() => void> {
    const { max, errorWhenFull } = this.#options;
    const semaphore = this.#semaphores.get(key) ?? new Semaphore(max);
    this.#semaphores.set(key, semaphore);
    const waiting = semaphore.isLocked() ? withTimeout(semaphore, waitMs) : semaphore;
    const [, release] = await waiting.acquire().catch((error: unknown) => {
      throw error === E_TIMEOUT ? errorWhenFull() : error;
    });
    return () => {
      release();
      if (semaphore.getValue() === max) this.#semaphores.delete(key);
    };
  }
}
