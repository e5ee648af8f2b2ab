import { readOptions, seedOption } from '#src/cli/lib/script-options.ts';

/*
 * Loads the service only after it has read its options, for their help comes at once.
 *
 * `npm run chaos -- --orders 300 --seed 7`: faults of every kind while shoppers buy; the printed seed repeats the run.
 * `--every 0 --drop 0.3 --duplicate 0.3 --shuffle`: only the providers' webhooks are unreliable. `--only kills`: a
 * process is killed at every point of every operation that moves money. `--neighbour 100000`: another store misbehaves,
 * and it is printed what the shoppers feel of it.
 */

const options = readOptions(
  'Sells while processes are killed and frozen, Redis is flushed and full, PostgreSQL restarts and ends connections, ' +
    'and the providers fail, then checks the invariants.\n' +
    'Exits with 1 when something was lost or done twice.',
  'npm run chaos --',
  {
    orders: { default: 300, description: 'Shoppers who buy.' },
    seed: seedOption,
    every: { default: 1500, description: 'Milliseconds between two faults; 0 for none.' },
    drop: { default: 0.3, description: 'The share of webhooks that the providers drop.' },
    duplicate: { default: 0.3, description: 'The share of webhooks that the providers send twice.' },
    shuffle: { default: true, description: 'The providers send webhooks in order.' },
    settle: { default: 180_000, description: 'Milliseconds within which everything has to recover.' },
    neighbour: {
      default: 0,
      description:
        'Jobs of each kind that are due in another store, which misbehaves in every way; 0 for no such store.',
    },
    only: {
      default: 'everything',
      oneOf: ['everything', 'kills'],
      description: 'kills: a process is killed at every point of every operation that moves money.',
    },
  },
  '--orders 100 --seed 7',
);
const report = (line: string) => console.log(line);

const breaches = await (options.only === 'kills' ? killAtEveryPoint() : injectAllFaults());
for (const breach of breaches.slice(0, 50)) console.log(`✘ ${breach}`);
console.log(
  breaches.length === 0
    ? 'Nothing was lost and nothing was done twice.'
    : `${breaches.length} invariants are violated.`,
);
process.exit(breaches.length === 0 ? 0 : 1);

async function killAtEveryPoint(): Promise<string[]> {
  const { startBench } = await import('#test/bench/lib/bench-environment.ts');
  const { runKills } = await import('./kill/run-kills.ts');
  const { environment, stop } = await startBench();
  try {
    return await runKills({ environment: { ...environment }, report });
  } finally {
    await stop();
  }
}

async function injectAllFaults(): Promise<string[]> {
  const { runChaos } = await import('./run-chaos.ts');
  report(`seed ${options.seed}`);
  return runChaos({
    seed: options.seed,
    report,
    orders: options.orders,
    everyMs: options.every,
    webhooks: { drop: options.drop, duplicate: options.duplicate, shuffle: options.shuffle },
    resolveMs: options.settle,
    withKeys: true,
    neighbour: options.neighbour,
  });
}
