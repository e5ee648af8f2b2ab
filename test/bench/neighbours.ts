import { readBenchmark } from './lib/benchmarks.ts';
import { buyOneByOne, describeFelt, type Felt } from './lib/buyer.ts';
import { type Flood, openMisbehavingStore } from './lib/misbehaving-store.ts';
import { openOrderFixture } from './lib/order-fixture.ts';

/*
 * What a store feels of another one that has a great many jobs due, or searches without a pause: orders are bought one
 * by one in the first, through real processes, quiet, beside each kind of flood, and quiet again: by how much these two
 * differ, the machine or the processes became slower or faster meanwhile.
 */

const { orders: count, ...sizes } = readBenchmark('neighbours');
/** With fewer, the quiet orders are the slow ones, and everything beside a flood looks good against them. */
const warmUp = 2 * count;

const fixture = await openOrderFixture(['worker']);
const store = await openMisbehavingStore(fixture.environment, fixture.url, sizes);

try {
  await buyOneByOne(fixture, warmUp);
  await fixture.settled();
  const quiet = await buyOneByOne(fixture, count);
  await fixture.settled();
  console.log(describeFelt('nothing else', quiet));
  for (const flood of store.floods) await beside(flood, quiet);
  console.log(describeFelt('nothing else, again', await buyOneByOne(fixture, count), quiet));
} finally {
  await store.close();
  await fixture.close();
}

/** Measure beside a flood, which is ended afterwards. */
async function beside({ name, begin }: Flood, quiet: Felt): Promise<void> {
  const end = await begin();
  const first = await buyOneByOne(fixture, 1);
  const felt = await buyOneByOne(fixture, count);
  const left = await store.left();
  console.log(`${describeFelt(name, felt, quiet)} (aim 1.5 ×)`);
  console.log(`  the first order: ${describeFelt('', first).slice(2)}`);
  console.log(`  jobs left: ${left.due} as rows, ${left.relayed} in the queues`);
  await store.clear();
  await end();
  await fixture.settled();
}
