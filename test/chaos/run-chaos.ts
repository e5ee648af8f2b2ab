import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { type Receiver, startReceiver } from '#src/dev/demo/receiver.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { watchMemory } from '#test/bench/lib/costs.ts';
import { seededRandom } from '#test/support/random.ts';
import { injectFaults, type WebhookFaults } from './fault-injector.ts';
import { openInvariants } from './invariants.ts';
import { type Neighbour, openNeighbour } from './neighbour.ts';
import { quickSchedules } from './quick-schedules.ts';
import { sendRefunds } from './refunds.ts';
import { sendShoppers } from './shoppers.ts';
import { sendVisitors } from './visitors.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly orders: number;
  /** The average time between two faults; 0 for no faults except those of webhooks. */
  readonly everyMs: number;
  readonly webhooks: WebhookFaults;
  /** How long everything may take to recover after the last fault. */
  readonly resolveMs: number;
  /** A killed process holds an idempotency key for 15 seconds, so that a run without keys is shorter. */
  readonly withKeys: boolean;
  /** Jobs of each kind that are due in another store, which misbehaves; 0 for no such store. */
  readonly neighbour: number;
  readonly report: (line: string) => void;
  /** Called when everything has recovered, with what finds the violated invariants. */
  readonly inspect?: (stack: Stack, receiver: Receiver, findBreaches: () => Promise<string[]>) => Promise<void>;
}

const faultsAfterSalesMs = 20_000;

const quick = {
  ...quickSchedules,
  WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,2s,2s,3s,3s,5s,5s,5s',
  LABEL_RETRY_SCHEDULE: '0s,1s,2s,3s,5s,5s,5s,5s',
  LABEL_BUY_TIMEOUT: '2s',
  RATE_LIMIT_SCALE: '100',
};

/**
 * Sell to many shoppers while faults are injected, then check the invariants.
 *
 * @returns the violated invariants
 */
export async function runChaos({
  seed,
  orders,
  everyMs,
  webhooks,
  resolveMs,
  withKeys,
  neighbour: due,
  report,
  inspect,
}: ChaosOptions): Promise<string[]> {
  const random = seededRandom(seed);
  const receiver = await startReceiver();
  const stack = await startStack(receiver, {
    workers: 'each',
    environment: quick,
    durable: true,
    emailsStored: Infinity,
    report,
  });
  const memory = watchMemory(stack.processes);
  let neighbour: Neighbour | undefined;
  const invariants = await openInvariants(stack, receiver);
  try {
    if (due > 0) neighbour = await openNeighbour(stack, due, report);
    await neighbour?.flood();
    const injection = await injectFaults(stack, seededRandom(seed + 1), { everyMs, webhooks });
    const startedAt = performance.now();
    const { codes } = invariants;
    const sell = async () => {
      const bought = await sendShoppers(stack, random, { count: orders, atOnce: 4, withKeys, codes });
      // Otherwise the same job may be lost again and again.
      injection.endWithin(faultsAfterSalesMs);
      return { bought, refunds: await sendRefunds(stack, seededRandom(seed + 3), bought) };
    };
    const [{ bought, refunds }, visits] = await Promise.all([
      sell(),
      sendVisitors(stack, seededRandom(seed + 2), { count: Math.ceil(orders / 4) }),
    ]).finally(() => injection.end());
    await neighbour?.end();
    bought.push(...(neighbour?.bought ?? []));
    report(
      `${bought.length} shoppers (${bought.filter(({ hasCodes }) => hasCodes).length} with codes), ` +
        `${refunds.length} refunds and ${visits.length} visitors ` +
        `(${visits.filter(({ link }) => link?.openings === 1).length} signed in) in ` +
        `${Math.round(performance.now() - startedAt)} ms, with these faults: ${injection.log.join('; ')}`,
    );

    const findBreaches = () =>
      invariants.findBreaches({ bought, refunds, visits }).catch((error: unknown) => {
        if (!isDatabaseAway(error)) throw error;
        return [`PostgreSQL could not be read: ${error}`];
      });
    const deadline = performance.now() + resolveMs;
    for (;;) {
      const breaches = await findBreaches();
      if (breaches.length === 0 || performance.now() > deadline) {
        report(
          breaches.length === 0
            ? `Recovered after ${Math.round(resolveMs - (deadline - performance.now()))} ms.`
            : 'It did not recover.',
        );
        if (breaches.length === 0) await inspect?.(stack, receiver, findBreaches);
        return breaches;
      }
      await pause(500);
    }
  } finally {
    report(`Peak memory: ${memory.end()}.`);
    await neighbour?.close();
    await invariants.close();
    await stack.stop();
    receiver.close();
  }
}
