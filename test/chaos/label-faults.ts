import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Fault, shippoControl } from '#src/dev/simulators/shippo/control.ts';
import type { Random } from '#test/support/random.ts';

/** Faults of purchases, besides lost responses. */
const ownFaults: readonly Omit<Fault, 'times'>[] = [
  { match: 'POST /transactions', kind: 'unknown_enum', probability: 0.03 },
  { match: 'POST /transactions', kind: 'queued', probability: 0.02 },
  { match: 'POST /transactions', kind: 'transaction_error', text: 'The carrier API timed out.', probability: 0.02 },
  // Executed so late that both lookups find nothing: a second label.
  { match: 'POST /transactions', kind: 'delay', ms: 9000, probability: 0.01 },
];

/** The probability of each kind of lost response, for frequent and for rare requests. */
const [frequentProbability, rareProbability] = [0.02, 0.08];
const frequent = ['GET /carrier_accounts', 'GET /transactions', 'POST /shipments', 'POST /transactions'];

/** Before the effect: nothing was done. After it: the response is lost. */
function faultsOf(match: string, probability: number): Omit<Fault, 'times'>[] {
  return [
    { match, probability, kind: 'reset_before' },
    { match, probability, kind: 'reset_after' },
    { match, probability, kind: 'status', status: 500 },
    { match, probability, kind: 'status', status: 502, after: true },
    { match, probability, kind: 'status', status: 429, retry_after: 1 },
    { match, probability: probability / 2, kind: 'hang' },
    { match, probability: probability / 2, kind: 'hang', after: true },
    { match, probability: probability / 2, kind: 'delay', ms: 2500, after: true },
  ];
}

/**
 * Inject every kind of fault into the provider, and resolve queued purchases late, until `end` is called.
 *
 * @param requests such as `POST /transactions`: each of them fails
 */
export async function injectProviderFaults(
  url: string,
  { requests, tokens, random }: { requests: readonly string[]; tokens: readonly string[]; random: Random },
): Promise<{ end(): Promise<void> }> {
  const control = shippoControl(url);
  await control.deliveries({ drop: 0.3, duplicate: 0.3 });
  const faults = [
    ...requests.flatMap((request) =>
      faultsOf(request, frequent.includes(request) ? frequentProbability : rareProbability),
    ),
    ...ownFaults,
  ];
  for (const fault of faults) await control.fault({ ...fault, times: 1_000_000 });
  let ending = false;

  async function decide(): Promise<void> {
    for (const token of tokens) {
      const transactions = await control.transactions(token);
      for (const { object_id: id } of transactions.filter(({ status }) => status === 'QUEUED')) {
        await control.resolveTransaction(id, random.chance(0.7) ? 'SUCCESS' : 'ERROR', {
          text: 'The carrier API timed out.',
        });
      }
    }
  }

  const deciding = (async () => {
    while (!ending) {
      await pause(3000);
      await decide();
    }
  })();
  return {
    async end() {
      ending = true;
      await deciding;
      await control.clearFaults();
      await control.deliveries({});
      await decide();
    },
  };
}

/** Flush Redis at these times from now, until `end` is called. */
export function flushRedis(redisUrl: string, afterMs: readonly number[]): { end(): Promise<void>; count(): number } {
  const over = new AbortController();
  let flushes = 0;
  const flushing = (async () => {
    for (const [index, at] of afterMs.entries()) {
      const waited = await pause(at - (afterMs[index - 1] ?? 0), true, { signal: over.signal }).catch(() => false);
      if (!waited) return;
      const redis = new Redis(redisUrl);
      await redis.flushdb();
      redis.disconnect();
      flushes += 1;
    }
  })();
  return {
    count: () => flushes,
    end: () => {
      over.abort();
      return flushing;
    },
  };
}
