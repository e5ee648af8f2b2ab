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

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
