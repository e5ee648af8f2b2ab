import { parseArgs } from 'node:util';

import { startEmbedded } from '#src/local/embedded/start-embedded.ts';
import { migrate } from '#src/platform/migrate.ts';
import { runLabelChaos } from './run-label-chaos.ts';

/* `npm run chaos:labels -- --orders 1000 --seed 7`: one label for each order, counted where labels are sold. */

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    workers: { type: 'string', default: '4' },
    kills: { type: 'string', default: '300' },
    settle: { type: 'string', default: '1800' },
  },
});
const seed = Number(values.seed);
console.log(`seed ${seed}`);
const embedded = await startEmbedded();
let breaches: readonly string[];
try {
  await migrate(embedded.databaseUrl);
  breaches = await runLabelChaos({
    databaseUrl: embedded.databaseUrl,
    redisUrl: embedded.redisUrl,
    seed,
    orders: Number(values.orders),
    stores: 3,
    workers: Number(values.workers),
    killsMax: Number(values.kills),
    undisturbedMax: 400,
    freezeEveryMs: 15_000,
    flushAfterMs: [15_000, 60_000, 180_000],
    settleMs: Number(values.settle) * 1000,
    report: (line) => console.log(line),
  });
} finally {
  await embedded.stop();
}
for (const breach of breaches.slice(0, 50)) console.log(`✘ ${breach}`);
console.log(breaches.length === 0 ? 'Every order has exactly one label.' : `${breaches.length} things do not hold (seed ${seed}).`);
process.exit(breaches.length === 0 ? 0 : 1);
