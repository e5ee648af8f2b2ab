import { readOptions } from '#src/cli/lib/script-options.ts';
import { migrate } from '#src/database/migrate.ts';
import { startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { labelEnvironment } from './label-environment.ts';
import { type Recording, recordLabelPoints } from './record-label-points.ts';
import { runLabelChaos } from './run-label-chaos.ts';

/* `npm run chaos:labels -- --orders 1000 --seed 7`: one label for each order, counted where labels are sold. */

const options = readOptions(
  'Asks for the labels of paid orders while their workers are killed at every point of the protocol and replies are lost, and\n' +
    'counts at the simulator. Ends with 1 where something does not hold, or a point was never struck.',
  'npm run chaos:labels --',
  {
    orders: { default: 1000, description: 'Paid orders; more are sent to where a point was not struck yet.' },
    kills: { default: 600, description: 'Workers that are killed (kill -9), at most.' },
    workers: { default: 3, description: 'Label workers that run at once.' },
    seed: {
      default: Math.floor(Math.random() * 2 ** 31),
      meant: 'a random one',
      description: 'Repeats the random choices of a run.',
    },
    settle: { default: 1800, description: 'Seconds until everything has to have come right.' },
  },
  '--orders 300 --seed 7',
);
const startedAt = performance.now();
const report = (line: string): void => console.log(line);
report(`seed ${options.seed}`);
const recording = await record();
const breaches = await breakLabels(recording);
for (const breach of breaches.slice(0, 50)) report(`✘ ${breach}`);
report(
  breaches.length === 0
    ? 'Every order has exactly one label.'
    : `${breaches.length} things do not hold (seed ${options.seed}).`,
);
report(`${Math.round((performance.now() - startedAt) / 1000)} s in all.`);
process.exit(breaches.length === 0 ? 0 : 1);

async function record(): Promise<Recording> {
  report(
    'Everything that can happen to an order happens once, and once more for each reply that can be lost, to find the points:',
  );
  const recording = await withServices((databaseUrl, redisUrl) =>
    recordLabelPoints(labelEnvironment(databaseUrl, redisUrl)),
  );
  report(
    `${recording.points.size} points and ${recording.requests.length} requests to the provider, after ${Math.round((performance.now() - startedAt) / 1000)} s.`,
  );
  return recording;
}

function breakLabels(recording: Recording): Promise<readonly string[]> {
  return withServices((databaseUrl, redisUrl) =>
    runLabelChaos({
      databaseUrl,
      redisUrl,
      recording,
      report,
      seed: options.seed,
      orders: options.orders,
      stores: 3,
      workers: options.workers,
      killsMax: options.kills,
      undisturbedMax: 300,
      freezeEveryMs: 30_000,
      flushAfterMs: [15_000, 60_000, 180_000],
      resolveMs: options.settle * 1000,
    }),
  );
}

async function withServices<Result>(work: (databaseUrl: string, redisUrl: string) => Promise<Result>): Promise<Result> {
  const embedded = await startEmbedded();
  try {
    await migrate(embedded.databaseUrl);
    return await work(embedded.databaseUrl, embedded.redisUrl);
  } finally {
    await embedded.stop();
  }
}
