import { parseArgs } from 'node:util';

import { startBench } from '#test/bench/lib/bench-environment.ts';
import { runKills } from './kill/run-kills.ts';
import { runChaos } from './run-chaos.ts';

/*
 * The long form. `npm run chaos -- --orders 300 --seed 7`: everything breaks while shoppers buy; the seed that is printed
 * replays the run. `--every 0 --drop 0.3 --duplicate 0.3 --shuffle`: nothing but the webhooks of the providers arrives
 * badly. `--only kills`: a process is killed at every moment of every work by which money comes in or goes out.
 */

const { values } = parseArgs({
  allowNegative: true,
  options: {
    only: { type: 'string' },
    orders: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    every: { type: 'string', default: '1500' },
    drop: { type: 'string', default: '0.3' },
    duplicate: { type: 'string', default: '0.3' },
    shuffle: { type: 'boolean', default: true },
    settle: { type: 'string', default: '180000' },
  },
});
const seed = Number(values.seed);
const report = (line: string) => console.log(line);

const breaches = await (values.only === 'kills' ? killEverywhere() : breakEverything());
for (const breach of breaches.slice(0, 50)) console.log(`✘ ${breach}`);
console.log(breaches.length === 0 ? 'Nothing was lost and nothing was done twice.' : `${breaches.length} things do not hold.`);
process.exit(breaches.length === 0 ? 0 : 1);

async function killEverywhere(): Promise<string[]> {
  const { environment, stop } = await startBench();
  try {
    return await runKills({ environment: { ...environment }, report });
  } finally {
    await stop();
  }
}

async function breakEverything(): Promise<string[]> {
  report(`seed ${seed}`);
  return runChaos({
    seed, report,
    orders: Number(values.orders),
    everyMs: Number(values.every),
    post: { drop: Number(values.drop), duplicate: Number(values.duplicate), shuffle: values.shuffle },
    settleMs: Number(values.settle),
    withKeys: true,
  });
}
