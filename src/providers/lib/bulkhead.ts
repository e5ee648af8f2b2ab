import { ProviderError } from '#src/lib/errors.ts';

/** Stored only while a call of its account is under way. */
interface Queue {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits the concurrent calls of one account, so that a burst of one store uses up neither its quota at the provider
 * nor our sockets. A call that finds no free place in time is rejected as `busy`: nothing was sent.
 */
export class Slots {
  readonly #max: number;
  readonly #waitMs: number;
  readonly #queues = new Map<string, Queue>();

  constructor({ max, waitMs }: { max: number; waitMs: number }) {
    this.#max = max;
    this.#waitMs = waitMs;
  }

  /** @throws ProviderError `busy` with the code `no_slot`, or whatever `work` throws */
  async run<Result>(provider: string, key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.running >= this.#max) await this.#wait(provider, queue);
    else queue.running += 1;
    try {
      return await work();
    } finally {
      this.#pass(key, queue);
    }
  }

  /** A free place goes to the call that waits longest. */
  #pass(key: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) return next();
    queue.running -= 1;
    if (queue.running === 0) this.#queues.delete(key);
  }

  #wait(provider: string, queue: Queue): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.waiting.splice(queue.waiting.indexOf(take), 1);
        const details = { code: 'no_slot', retryAfterSeconds: 1 };
        reject(new ProviderError(provider, 'busy', `Too many calls to ${provider} at once.`, details));
      }, this.#waitMs);
      const take = (): void => {
        clearTimeout(timer);
        resolve();
      };
      queue.waiting.push(take);
    });
  }
}
