import { readOptions } from '#src/cli/lib/script-options.ts';
import { startBench } from '#test/bench/lib/bench-environment.ts';
import { runKills } from './kill/run-kills.ts';
import { runChaos } from './run-chaos.ts';

/*
 * The long form. `npm run chaos -- --orders 300 --seed 7`: everything breaks while shoppers buy; the seed that is printed
 * replays the run. `--every 0 --drop 0.3 --duplicate 0.3 --shuffle`: nothing but the webhooks of the providers arrives
 * badly. `--only kills`: a process is killed at every moment of every work by which money comes in or goes out.
 */

const options = readOptions(
  'Sells while processes are killed, Redis is wiped, PostgreSQL restarts and the providers fail, then counts what must be true.\n' +
    'Ends with 1 where something was lost or done twice.',
  'npm run chaos --',
  {
    orders: { default: 300, description: 'Shoppers who buy.' },
    seed: {
      default: Math.floor(Math.random() * 2 ** 31),
      meant: 'a random one',
      description: 'Repeats the random choices of a run.',
    },
    every: { default: 1500, description: 'Milliseconds between two blows; 0 for none.' },
    drop: { default: 0.3, description: 'The share of webhooks that the providers do not send.' },
    duplicate: { default: 0.3, description: 'The share that they send twice.' },
    shuffle: { default: true, description: 'They send them in their order.' },
    settle: { default: 180_000, description: 'Milliseconds until everything has to have come right.' },
    only: {
      default: 'everything',
      oneOf: ['everything', 'kills'],
      description: 'kills: a process dies at every moment of every work that moves money.',
    },
  },
  '--orders 100 --seed 7',
);
const report = (line: string) => console.log(line);

const breaches = await (options.only === 'kills' ? killEverywhere() : breakEverything());
for (const breach of breaches.slice(0, 50)) console.log(`✘ ${breach}`);
console.log(
  breaches.length === 0 ? 'Nothing was lost and nothing was done twice.' : `${breaches.length} things do not hold.`,
);
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
  report(`seed ${options.seed}`);
  return runChaos({
    seed: options.seed,
    report,
    orders: options.orders,
    everyMs: options.every,
    post: { drop: options.drop, duplicate: options.duplicate, shuffle: options.shuffle },
    resolveMs: options.settle,
    withKeys: true,
  });
}
