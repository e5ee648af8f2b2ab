import { parseArgs } from 'node:util';

import { runChaos } from './run-chaos.ts';

/* `npm run chaos -- --orders 300 --seed 7`: the long form. The seed that is printed replays the run. */

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    every: { type: 'string', default: '1500' },
    settle: { type: 'string', default: '180000' },
  },
});
const seed = Number(values.seed);
console.log(`seed ${seed}`);
const breaches = await runChaos({
  seed,
  orders: Number(values.orders),
  everyMs: Number(values.every),
  settleMs: Number(values.settle),
  withKeys: true,
  report: (line) => console.log(line),
});
for (const breach of breaches.slice(0, 50)) console.log(`✘ ${breach}`);
console.log(breaches.length === 0 ? 'Nothing was lost and nothing was done twice.' : `${breaches.length} things do not hold (seed ${seed}).`);
process.exit(breaches.length === 0 ? 0 : 1);
