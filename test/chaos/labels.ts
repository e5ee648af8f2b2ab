import { readOptions, seedOption } from '#src/cli/lib/script-options.ts';
import type { Recording } from './record-label-points.ts';

/* `npm run chaos:labels -- --orders 1000 --seed 7`: one label for each order, counted at the provider. */

const options = readOptions(
  'Requests the labels of paid orders while their workers are killed at every point of the protocol ' +
    'and responses are lost,\n' +
    'and counts them at the simulator. Exits with 1 when an invariant is violated or a point had no kill.',
  'npm run chaos:labels --',
  {
    orders: { default: 1000, description: 'Paid orders; more are sent while a point has no kill.' },
    kills: { default: 600, description: 'Maximum number of kills (kill -9).' },
    workers: { default: 3, description: 'Concurrent label workers.' },
    seed: seedOption,
    settle: { default: 1800, description: 'Seconds within which everything has to recover.' },
  },
  '--orders 300 --seed 7',
);
const { migrate } = await import('#src/database/migrate.ts');
const { startEmbedded } = await import('#src/dev/embedded/start-embedded.ts');
const { labelEnvironment } = await import('./label-workers.ts');
const { recordLabelPoints } = await import('./record-label-points.ts');
const { runLabelChaos } = await import('./run-label-chaos.ts');

const startedAt = performance.now();
const report = (line: string): void => console.log(line);
report(`seed ${options.seed}`);
const recording = await record();
const breaches = await breakLabels(recording);
for (const breach of breaches.slice(0, 50)) report(`✘ ${breach}`);
report(
  breaches.length === 0
    ? 'Every order has exactly one label.'
    : `${breaches.length} invariants are violated (seed ${options.seed}).`,
);
report(`${Math.round((performance.now() - startedAt) / 1000)} s in total.`);
process.exit(breaches.length === 0 ? 0 : 1);

async function record(): Promise<Recording> {
  report('Recording the points: every situation of an order once, and once more for each response that can be lost.');
  const recording = await withServices((databaseUrl, redisUrl) =>
    recordLabelPoints(labelEnvironment(databaseUrl, redisUrl)),
  );
  report(
    `${recording.points.size} points and ${recording.requests.length} requests to the provider, ` +
      `after ${Math.round((performance.now() - startedAt) / 1000)} s.`,
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
      skippedPointsMax: 300,
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
