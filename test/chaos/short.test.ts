import { randomInt } from 'node:crypto';
import test from 'ava';
import { runChaos } from './run-chaos.ts';

test('runChaos with killed processes and failing providers loses nothing and repeats no effect', async (t) => {
  t.timeout(240_000);
  const seed = randomInt(2 ** 31);
  // Half of the runs, since requests with a key continue an order, and those without begin another.
  const withKeys = seed % 2 === 0;
  t.log(`npm run chaos -- --orders 24 --every 1000 --seed ${seed}`, { withKeys });
  const breaches = await runChaos({
    seed,
    orders: 24,
    everyMs: 1000,
    webhooks: { drop: 0.3, duplicate: 0.3, shuffle: true },
    resolveMs: 120_000,
    withKeys,
    neighbour: 0,
    report: (line) => t.log(line),
  });
  t.deepEqual(breaches, []);
});
