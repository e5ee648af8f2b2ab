import { setTimeout } from 'node:timers/promises';
import { readBenchmark } from './lib/benchmarks.ts';
import { watchMemory } from './lib/costs.ts';
import { describeLatencies, inParallel, timed } from './lib/numbers.ts';
import { openOrderFixture, type Usage } from './lib/order-fixture.ts';

/*
 * Orders from a cart to paid with the label job enqueued, through the real web process and real workers, with
 * simulators that respond at once. On a busy machine, the cost of an order is more reliable than the number of orders
 * per second.
 */

const { orders, 'at-once': width } = readBenchmark('orders');
/** Processes that just began compile what they run, and PostgreSQL plans it. */
const warmUp = 30;
const aloneMax = 50;

/** All that an order needs beside the web process until its label job is enqueued. */
const path = ['worker-relay', 'worker-payments'];
const everything = ['worker'];

const fixture = await openOrderFixture(everything);
const memory = watchMemory(fixture.processes);

try {
  await sell(warmUp);
  await fixture.settled();

  const alone = await sellOneByOne(Math.min(orders, aloneMax));
  console.log(`${alone.length} orders, each after all that the last one caused was done, one worker process`);
  console.log(`  event accepted to label enqueued: ${describeLatencies(alone)} (aim p50 60 ms)`);

  await fixture.workWith(path);
  await sell(warmUp);
  const way = await measure(async () => undefined);
  const waiting = await fixture.waiting();
  await fixture.workWith([...path, ...everything]);
  await fixture.settled();
  console.log(
    `\nthe path to the enqueued label alone: ${orders} orders, ${width} at once, web with ${path.join(' and ')}`,
  );
  console.log(`  ${rateOf(way)} paid with the label enqueued per second (aim 60 on 2 processors)`);
  report(way);
  console.log(
    '  what follows waited meanwhile, and was done once other workers ran: ' +
      waiting.map(({ job, count }) => `${count} ${job}`).join(', '),
  );

  await fixture.workWith(everything);
  await sell(warmUp);
  await fixture.settled();
  const all = await measure(() => fixture.settled());
  console.log(
    '\nwith all that follows (label bought, mail sent, endpoint told, sale counted): ' +
      `${orders} orders, ${width} at once, web with one worker process`,
  );
  console.log(
    `  ${rateOf(all)} paid per second; ` +
      `${(orders / (all.seconds + all.afterSeconds)).toFixed(1)} per second until all was done`,
  );
  report(all);
} finally {
  console.log(`\npeak memory: ${memory.end()} (aim 350 MB each)`);
  await fixture.close();
}

/** Returns how long each event took. */
async function sellOneByOne(count: number): Promise<number[]> {
  const since = new Date();
  for (let number = 0; number < count; number += 1) {
    await sell(1);
    await fixture.settled();
  }
  return fixture.enqueuedAfterMs(since);
}

/** Returns how long each shopper took, once every order is paid. */
async function sell(count: number): Promise<number[]> {
  const took = await inParallel(Array.from({ length: count }), width, () => fixture.buy());
  await fixture.allPaid();
  return took;
}

/** @param following what has to be finished before the cost is calculated */
async function measure(following: () => Promise<void>) {
  const [since, before] = [new Date(), await fixture.usage()];
  let took: number[] = [];
  const seconds = await timed(async () => {
    took = await sell(orders);
  });
  const afterSeconds = await timed(following);
  const after = await fixture.usage();
  const byTheClock = ((await statementsAtRest()) * (seconds + afterSeconds)) / orders;
  return { seconds, afterSeconds, took, waits: await fixture.enqueuedAfterMs(since), before, after, byTheClock };
}

/** Sent in a second in which nothing happens: the slower a machine, the more of them fall to an order. */
async function statementsAtRest(): Promise<number> {
  const before = await fixture.usage();
  let after = before;
  const seconds = await timed(async () => {
    await setTimeout(2000);
    after = await fixture.usage();
  });
  return (after.statements - before.statements) / seconds;
}

function rateOf({ seconds }: { seconds: number }): string {
  return (orders / seconds).toFixed(1);
}

interface Measured {
  readonly took: readonly number[];
  readonly waits: readonly number[];
  readonly before: Usage;
  readonly after: Usage;
  /** Statements per order that are sent without orders, too. */
  readonly byTheClock: number;
}

function report({ took, waits, before, after, byTheClock }: Measured): void {
  const used = [...after.processorMs].map(([name, ms]) => ({
    name,
    ms: (ms - (before.processorMs.get(name) ?? 0)) / orders,
  }));
  const total = used.reduce((sum, { ms }) => sum + ms, 0);
  const statements = (after.statements - before.statements) / orders;
  console.log(
    `  statements sent to PostgreSQL per order: ${(statements - byTheClock).toFixed(1)} (aim 60), ` +
      `and ${byTheClock.toFixed(1)} by the clock`,
  );
  console.log(`  processor time per order: ${used.map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`).join(', ')}`);
  console.log(
    `  that is ${total.toFixed(1)} ms in all, so that 2 processors with nothing else to do allow ` +
      `${(2000 / total).toFixed(0)} per second`,
  );
  console.log(`  cart, line, read, checkout, payment page: ${describeLatencies(took)}`);
  console.log(`  event accepted to label enqueued, with all the others' before it: ${describeLatencies(waits)}`);
}
