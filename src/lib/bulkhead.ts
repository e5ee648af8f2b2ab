import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';

export interface BulkheadOptions {
  /** How many works of one key run at once. */
  readonly max: number;
  /** How long one more waits for its turn. */
  readonly waitMs: number;
  /** How many works of one key wait at once; any number by default. */
  readonly waitingMax?: number;
  /** The error for one that found too many waiting, or whose turn did not come in time: it was not started. */
  readonly errorWhenFull: () => Error;
}

/**
 * Limits the concurrent work of each key, so that a burst of one uses up nothing that the others need. What comes
 * beyond the limit waits for its turn in the order of arrival, briefly.
 */
export class Bulkhead {
  readonly #options: BulkheadOptions;
  /** Of the keys whose work is running, and of those whose last work did not get its turn. */
  readonly #gates = new Map<string, Gate>();

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
    const { max, waitingMax = Infinity, errorWhenFull } = this.#options;
    const gate = this.#gates.get(key) ?? { semaphore: new Semaphore(max), waiting: 0 };
    this.#gates.set(key, gate);
    const { semaphore } = gate;
    if (!semaphore.isLocked()) return this.#leave(key, gate, await semaphore.acquire());
    if (gate.waiting >= waitingMax) throw errorWhenFull();
    gate.waiting += 1;
    try {
      return this.#leave(key, gate, await withTimeout(semaphore, waitMs).acquire());
    } catch (error) {
      throw error === E_TIMEOUT ? errorWhenFull() : error;
    } finally {
      gate.waiting -= 1;
    }
  }

  #leave(key: string, { semaphore }: Gate, [, release]: [number, () => void]): () => void {
    return () => {
      release();
      if (semaphore.getValue() === this.#options.max) this.#gates.delete(key);
    };
  }
}

/**
 * Run work within several bulkheads, each with the key of the work there. It enters them one after the other, and waits
 * at all of them together for no longer than this.
 * @throws the error of the first that is full, or whatever `work` throws
 */
export function runWithin<Result>(
  bulkheads: readonly (readonly [bulkhead: Bulkhead, key: string])[],
  work: () => Promise<Result>,
  waitMs: number,
): Promise<Result> {
  const endsAt = performance.now() + waitMs;
  const enter = (index: number): Promise<Result> => {
    const [bulkhead, key] = bulkheads[index] ?? [];
    if (!bulkhead || key === undefined) return work();
    return bulkhead.run(key, () => enter(index + 1), Math.max(0, endsAt - performance.now()));
  };
  return enter(0);
}

interface Gate {
  readonly semaphore: Semaphore;
  /** How many works wait for it. */
  waiting: number;
}
