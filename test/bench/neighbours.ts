import { readBenchmark } from './lib/benchmarks.ts';
import { reportFloods } from './lib/beside-floods.ts';
import { buyOneByOne } from './lib/buyer.ts';
import { openMisbehavingStore } from './lib/misbehaving-store.ts';
import { openOrderFixture } from './lib/order-fixture.ts';

/*
 * What a store feels of another one that has a great many jobs due, or searches without a pause: orders are bought one
 * by one in the first, through real processes, beside each kind of flood, and quiet before and after it.
 */

const { orders: measured, ...sizes } = readBenchmark('neighbours');

const fixture = await openOrderFixture(['worker']);
const store = await openMisbehavingStore(fixture.environment, fixture.url, sizes);

try {
  const buy = (times: number) => buyOneByOne(fixture, times);
  await buy(2 * measured);
  await fixture.settled();
  await reportFloods(store, { buy, settle: () => fixture.settled(), measured, report: console.log });
} finally {
  await store.close();
  await fixture.close();
}
