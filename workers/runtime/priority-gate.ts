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
      this.#running.set(tenantId, this.#runningOf(tenantId) - 1);
      if (this.#runningOf(tenantId) === 0) this.#running.delete(tenantId);
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
