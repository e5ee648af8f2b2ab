import { firstOfStoreMax, type QueueName } from '#jobs/queues.ts';
import { measureThread } from '#src/lib/watch-thread.ts';
import { queueLimits } from '#src/outbox/claim-jobs.ts';

/** Whether a job may run now, and how many of its tenant then run, or after how many milliseconds to try again. */
export type Admission =
  | { readonly admitted: true; readonly running: number; release(): void }
  | { readonly admitted: false; waitMs: number };

const shortestWaitMs = 25;
/** The estimate is of a busy process: a job that waited longer would leave it idle once it is not busy any more. */
const longestWaitMs = 1000;
/**
 * How many jobs wait here: as many as the relay adds of one store. Sending a job away and taking it again costs more
 * than a statement, and is seldom needed then.
 */
const waitingMax = queueLimits.perStore;
/** A job waits here for its turn for this long; then another process may have room for it. */
const turnDeadlineMs = 5000;

/** A job that waits for its turn. */
interface Waiting {
  readonly tenantId: string;
  begin(): void;
}

/** A job that waits for its turn, or until it is sent away. */
interface WaitingForShare extends Waiting {
  leave(): void;
}

/**
 * Limits one tenant to half of a queue's concurrency in this process. Further jobs wait here for their turn. Jobs that
 * wait for long or find too many before them are delayed until their turn is likely, estimated from how long jobs take
 * here and how many are before them, so that many jobs of one tenant neither retry constantly nor leave capacity unused.
 */
export class FairShare {
  readonly #concurrency: number;
  readonly #share: number;
  readonly #running = new Map<string, number>();
  #runningInAll = 0;
  readonly #waiting: WaitingForShare[] = [];
  #isClosed = false;
  /** Jobs that are delayed, by tenant. Any process may take them afterwards. */
  readonly #sentAway = new Map<string, number>();
  #meanMs = 50;
  #begunAt = -Infinity;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
    this.#share = Math.max(1, Math.floor(concurrency / 2));
  }

  /** How many jobs the process may take: those that run, and those that wait here. */
  get places(): number {
    return this.#concurrency + waitingMax;
  }

  async admit(tenantId: string): Promise<Admission> {
    if (this.#hasRoom(tenantId)) this.#begin(tenantId);
    else if (this.#isClosed || this.#waiting.length >= waitingMax || !(await this.#waitForTurn(tenantId)))
      return this.#sendAway(tenantId);
    const startedAt = performance.now();
    return {
      admitted: true,
      running: countOf(this.#running, tenantId),
      release: () => this.#release(tenantId, performance.now() - startedAt),
    };
  }

  /** Sends away the jobs that wait: another process may run them. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.leave();
  }

  /** @returns whether the turn came in time */
  #waitForTurn(tenantId: string): Promise<boolean> {
    return new Promise((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        this.#begin(tenantId);
        resolve(true);
      };
      const leave = () => {
        clearTimeout(timer);
        resolve(false);
      };
      const waiting = { tenantId, begin, leave };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        leave();
      }, turnDeadlineMs);
      this.#waiting.push(waiting);
    });
  }

  #sendAway(tenantId: string): Admission {
    const sentAway = countOf(this.#sentAway, tenantId) + 1;
    this.#sentAway.set(tenantId, sentAway);
    // A turn comes when a job ends, and none has ended since the last one began.
    const untilNextMs = Math.max(this.#meanMs / this.#share, performance.now() - this.#begunAt);
    const estimateMs = untilNextMs * (this.#waiting.length + sentAway);
    const waitMs = Math.min(Math.max(estimateMs, shortestWaitMs), longestWaitMs);
    setTimeout(() => decrement(this.#sentAway, tenantId), waitMs).unref();
    return { admitted: false, waitMs };
  }

  #hasRoom(tenantId: string): boolean {
    return this.#runningInAll < this.#concurrency && countOf(this.#running, tenantId) < this.#share;
  }

  #begin(tenantId: string): void {
    this.#begunAt = performance.now();
    this.#runningInAll += 1;
    this.#running.set(tenantId, countOf(this.#running, tenantId) + 1);
  }

  #release(tenantId: string, tookMs: number): void {
    this.#meanMs += (tookMs - this.#meanMs) / 20;
    this.#runningInAll -= 1;
    decrement(this.#running, tenantId);
    takeFairest(this.#waiting, this.#running, (waiting) => this.#hasRoom(waiting.tenantId))?.begin();
  }
}

/** Take out the first that waits of the tenant that has the fewest running, among those that may begin. */
function takeFairest<Each extends Waiting>(
  waiting: Each[],
  running: ReadonlyMap<string, number>,
  mayBegin: (waiting: Each) => boolean,
): Each | undefined {
  let fairest: Each | undefined;
  for (const each of waiting) {
    const isFairer = !fairest || countOf(running, each.tenantId) < countOf(running, fairest.tenantId);
    if (isFairer && mayBegin(each)) fairest = each;
  }
  if (fairest) waiting.splice(waiting.indexOf(fairest), 1);
  return fairest;
}

const countOf = (counts: ReadonlyMap<string, number>, key: string): number => counts.get(key) ?? 0;

/** Whether a job goes first of which so many of its queue and tenant are running, this one included. */
export const goesFirst = (queue: QueueName, running: number): boolean => running <= (firstOfStoreMax[queue] ?? 0);

/** How many yielding jobs may be starting at the same time while the process is busy. */
const fewAtOnce = 2;
/** How many at most: as many as all queues of a process run. */
const manyAtOnce = 128;

/** After this time a started job no longer counts: it waits for a provider, or takes long. */
const beginningMs = 250;
/** How often is measured, while jobs wait, whether the process is still busy. */
const measureEveryMs = 25;

/**
 * Starts the jobs that a shopper waits for before the other jobs of a process. Node.js has one thread: once it is busy,
 * more concurrent jobs only make each of them slower. From then on, a yielding job starts when another one has ended;
 * the first to start is of the tenant that has the fewest running, so that many jobs of one do not delay another's.
 * There are as many places again for tenants that have few running: they need not wait for the end of another's jobs.
 *
 * In a busy process, while an order of another tenant passes, for a moment from the start of each of its jobs that go
 * first, a tenant starts only one job with each measurement, so that the thread and the database are free for that order.
 * A steady stream of orders delays the jobs of others and does not stop them.
 *
 * While the thread is idle the number of places doubles with each measurement, as TCP's slow start does (RFC 5681): all
 * that wait at once would make it busy for long before it is measured again. It begins anew after a moment in which none
 * was starting: that the thread was idle then says nothing about many.
 */
export class PriorityGate {
  /** How many yielding jobs are starting. */
  #beginning = 0;
  #places = fewAtOnce;
  /** Jobs that went first a moment ago, by tenant. */
  readonly #first = new Map<string, number>();
  /** The tenants of which a yielding job started since the last measurement. */
  readonly #begun = new Set<string>();
  /** Yielding jobs that have started and not ended, by tenant. */
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  readonly #isBusy: () => boolean;
  readonly #beginningMs: number;
  readonly #measureEveryMs: number;
  #measuredAt = performance.now();
  #nextMeasurement: NodeJS.Timeout | undefined;

  /** @param given.isBusy whether the thread was busy since the call before */
  constructor(given: { isBusy?: () => boolean; beginningMs?: number; measureEveryMs?: number } = {}) {
    const utilization = measureThread();
    this.#isBusy = given.isBusy ?? (() => utilization() >= 0.5);
    this.#beginningMs = given.beginningMs ?? beginningMs;
    this.#measureEveryMs = given.measureEveryMs ?? measureEveryMs;
  }

  /** A job that goes first starts at once, and for a moment those of other tenants yield to its order. */
  enterFirst(tenantId: string): void {
    this.#first.set(tenantId, countOf(this.#first, tenantId) + 1);
    setTimeout(() => decrement(this.#first, tenantId), this.#beginningMs).unref();
  }

  /** Waits for its turn. Call the returned function when the job has ended. */
  async enter(tenantId: string): Promise<() => void> {
    const hasRested = this.#beginning === 0 && performance.now() - this.#measuredAt >= this.#beginningMs;
    if (hasRested) this.#places = fewAtOnce;
    // Behind those that wait already: the measurement may have made room for them.
    await new Promise<void>((resolve) => {
      const begin = () => {
        this.#begin(tenantId);
        resolve();
      };
      this.#waiting.push({ tenantId, begin });
      this.#beginWaiting();
    });

    const leave = once(() => {
      this.#beginning -= 1;
      this.#beginWaiting();
    });
    const timer = setTimeout(leave, this.#beginningMs).unref();
    return once(() => {
      decrement(this.#running, tenantId);
      clearTimeout(timer);
      leave();
    });
  }

  #begin(tenantId: string): void {
    this.#beginning += 1;
    this.#begun.add(tenantId);
    this.#running.set(tenantId, countOf(this.#running, tenantId) + 1);
  }

  #beginWaiting(): void {
    this.#measure();
    for (let next = this.#takeNext(); next; next = this.#takeNext()) next.begin();
    if (this.#waiting.length > 0) this.#measureAgain();
  }

  #takeNext(): Waiting | undefined {
    return takeFairest(this.#waiting, this.#running, ({ tenantId }) => this.#hasRoom(tenantId));
  }

  #hasRoom(tenantId: string): boolean {
    const isBusy = this.#places === fewAtOnce;
    if (isBusy && this.#begun.has(tenantId) && this.#isPassedByOther(tenantId)) return false;
    const hasFewRunning = countOf(this.#running, tenantId) < this.#places;
    return this.#beginning < (hasFewRunning ? 2 * this.#places : this.#places);
  }

  #isPassedByOther(tenantId: string): boolean {
    return this.#first.size > (this.#first.has(tenantId) ? 1 : 0);
  }

  #measure(): void {
    if (performance.now() - this.#measuredAt < this.#measureEveryMs) return;
    this.#places = this.#isBusy() ? fewAtOnce : Math.min(2 * this.#places, manyAtOnce);
    this.#measuredAt = performance.now();
    this.#begun.clear();
  }

  #measureAgain(): void {
    this.#nextMeasurement ??= setTimeout(() => {
      this.#nextMeasurement = undefined;
      this.#beginWaiting();
    }, this.#measureEveryMs).unref();
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
