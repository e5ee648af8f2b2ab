import test from 'ava';
import { runFailover } from './run-failover.ts';

test('runFailover of a Redis Cluster shows shoppers no error, and loses and repeats nothing', async (t) => {
  const failovers = await runFailover({ isShort: true, report: (line) => t.log(line) });
  for (const { what, rejected, slowestMs, readiness, resolvedMs, breaches } of failovers) {
    t.log(`${what}: slowest ${Math.round(slowestMs)} ms, all well after ${Math.round(resolvedMs)} ms`);
    t.deepEqual(breaches, [], what);
    t.is(rejected, 0, what);
    t.deepEqual([...readiness], [200], what);
  }
});
