/** How many yielding jobs may be starting at the same time while the process is busy. */
const fewAtOnce = 2;

/** After this time a started job no longer counts: it waits for a provider, or takes long. */
const beginningMs = 250;

/**
 * Starts the jobs that a shopper waits for before the other jobs of a process. Node.js has one thread: once it is busy,
 * more concurrent jobs only make each of them slower. From then on, a yielding job starts when another one has ended.
 */
export class PriorityGate {
  #beginning = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #isBusy: () => boolean;
  readonly #beginningMs: number;

  constructor(given: { isBusy?: () => boolean; beginningMs?: number } = {}) {
    this.#isBusy = given.isBusy ?? watchThread();
    this.#beginningMs = given.beginningMs ?? beginningMs;
  }

  /** Waits for its turn. Call the returned function when the job has ended. */
  async enter(): Promise<() => void> {
    if (this.#hasRoom()) this.#beginning += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));

    let counts = true;
    const end = () => {
      clearTimeout(timer);
      if (counts) this.#leave();
      counts = false;
    };
    const timer = setTimeout(end, this.#beginningMs);
    return end;
  }

  #leave(): void {
    this.#beginning -= 1;
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#beginning += 1;
      this.#waiting.shift()?.();
    }
  }

  #hasRoom(): boolean {
    return this.#beginning < fewAtOnce || !this.#isBusy();
  }
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
