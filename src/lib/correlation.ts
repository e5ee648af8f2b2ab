import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Connects everything that one request causes: it is part of every log line from the request through the outbox and the
 * job to the provider call, in whichever process.
 */
export interface Correlation {
  readonly requestId: string;
  readonly tenant?: string | undefined;
  readonly job?: string | undefined;
}

const storage = new AsyncLocalStorage<Correlation>();

export function correlate<Result>(correlation: Correlation, work: () => Result): Result {
  return storage.run(correlation, work);
}

/** The correlation of what runs now, if anything was named its cause. */
export function currentCorrelation(): Correlation | undefined {
  return storage.getStore();
}
