/** Whether a job may run now, or after how many milliseconds it should try again. */
export type Admission = { readonly admitted: true; release(): void } | { readonly admitted: false; waitMs: number };

const shortestWaitMs = 25;
const longestWaitMs = 2000;

/**
 * Limits one tenant to half of a queue's concurrency in this process. Jobs beyond that are delayed until their turn is
 * likely, estimated from how long jobs take here and how many are delayed already, so that many jobs of one tenant
 * neither retry constantly nor leave capacity unused.
 */
export class FairShare {
  readonly #share: number;
  readonly #held = new Map<string, number>();
  readonly #sentAway = new Map<string, number>();
  #meanMs = 50;

  constructor(concurrency: number) {
    this.#share = Math.max(1, Math.floor(concurrency / 2));
  }

  admit(tenantId: string): Admission {
    const held = this.#held.get(tenantId) ?? 0;
    if (held < this.#share) {
      this.#held.set(tenantId, held + 1);
      const startedAt = performance.now();
      return { admitted: true, release: () => this.#release(tenantId, performance.now() - startedAt) };
    }
    const ahead = (this.#sentAway.get(tenantId) ?? 0) + 1;
    this.#sentAway.set(tenantId, ahead);
    const waitMs = (this.#meanMs * ahead) / this.#share;
    return { admitted: false, waitMs: Math.min(Math.max(waitMs, shortestWaitMs), longestWaitMs) };
  }

  #release(tenantId: string, tookMs: number): void {
    this.#meanMs += (tookMs - this.#meanMs) / 20;
    decrement(this.#held, tenantId);
    decrement(this.#sentAway, tenantId);
  }
}

/** How many yielding jobs may be starting at the same time while the process is busy. */
const fewAtOnce = 2;

/** After this time a started job no longer counts: it waits for a provider, or takes long. */
const beginningMs = 250;

/** A job that waits for its turn. */
interface Waiting {
  readonly tenantId: string;
  begin(): void;
}

/**
 * Starts the jobs that a shopper waits for before the other jobs of a process. Node.js has one thread: once it is busy,
 * more concurrent jobs only make each of them slower. From then on, a yielding job starts when another one has ended;
 * the first to start is of the tenant that has the fewest running, so that many jobs of one do not delay another's.
 */
export class PriorityGate {
  #beginning = 0;
  /** Yielding jobs that have started and not ended, by tenant. */
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  readonly #isBusy: () => boolean;
  readonly #beginningMs: number;

  constructor(given: { isBusy?: () => boolean; beginningMs?: number } = {}) {
    this.#isBusy = given.isBusy ?? watchThread();
    this.#beginningMs = given.beginningMs ?? beginningMs;
  }

  /** Waits for its turn. Call the returned function when the job has ended. */
  async enter(tenantId: string): Promise<() => void> {
    if (this.#hasRoom()) this.#begin(tenantId);
    else {
      await new Promise<void>((resolve) => {
        const begin = () => {
          this.#begin(tenantId);
          resolve();
        };
        this.#waiting.push({ tenantId, begin });
      });
    }

    const leave = once(() => this.#leave());
    const timer = setTimeout(leave, this.#beginningMs);
    return once(() => {
      clearTimeout(timer);
      decrement(this.#running, tenantId);
      leave();
    });
  }

  #begin(tenantId: string): void {
    this.#beginning += 1;
    this.#running.set(tenantId, this.#runningOf(tenantId) + 1);
  }

  #leave(): void {
    this.#beginning -= 1;
    while (this.#waiting.length > 0 && this.#hasRoom()) this.#takeNext()?.begin();
  }

  #takeNext(): Waiting | undefined {
    const counts = this.#waiting.map(({ tenantId }) => this.#runningOf(tenantId));
    return this.#waiting.splice(counts.indexOf(Math.min(...counts)), 1)[0];
  }

  #runningOf(tenantId: string): number {
    return this.#running.get(tenantId) ?? 0;
  }

  #hasRoom(): boolean {
    return this.#beginning < fewAtOnce || !this.#isBusy();
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

/** The utilization from which a thread is busy, and how often it is measured. */
const busyFrom = 0.9;
const pollIntervalMs = 25;

/** @returns a function that says whether this thread has been busy lately */
export function watchThread(): () => boolean {
  let isBusy = false;
  let measured = performance.eventLoopUtilization();
  let checkedAt = performance.now();

  return () => {
    const now = performance.now();
    if (now - checkedAt >= pollIntervalMs) {
      isBusy = performance.eventLoopUtilization(measured).utilization >= busyFrom;
      measured = performance.eventLoopUtilization();
      checkedAt = now;
    }
    return isBusy;
  };
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
