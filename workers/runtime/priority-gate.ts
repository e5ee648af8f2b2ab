/** While the process is busy, so many of the jobs that give way are begun at once. */
const fewAtOnce = 2;

/** After this a job that began counts no more: it waits for somebody else, or goes on for long. */
const beginningMs = 250;

/**
 * Lets the jobs that a shopper waits for go before the others of a process. It has one thread: once that has no time to
 * spare, more jobs at once only make each of them slower. From then on one that gives way begins when another has ended.
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

  /** Waits for its turn. Call what is answered when the job has ended. */
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

/** The share of its time from which a thread is busy, and how often that is looked at. */
const busyFrom = 0.9;
const pollIntervalMs = 25;

/** Answers whether this thread has had no time to spare of late. */
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
