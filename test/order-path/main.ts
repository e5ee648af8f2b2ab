import { readFileSync } from 'node:fs';

import { readOptions } from '#src/cli/lib/script-options.ts';

/* `npm run order-path`: how many files an engineer has to read to follow an order from its checkout to its label. */

const { limit } = readOptions(
  'Buys twice, on services of its own, and prints the files and functions that the second order executes, from its\n' +
    'checkout to its label. Exits with 1 when the path has more files than the limit.',
  'npm run order-path --',
  { limit: { default: 75, description: 'Maximum number of files of the path.' } },
  '--limit 70',
);
const { startShippoSimulator } = await import('#src/dev/simulators/shippo/simulator.ts');
const { startStripeSimulator } = await import('#src/dev/simulators/stripe/simulator.ts');
const { startBench } = await import('#test/bench/lib/bench-environment.ts');
const { recordOrder } = await import('./record-order.ts');

/** Whose files count, and what serves every request and job alike. */
const pathFolders = ['jobs', 'src/database', 'src/domain', 'src/outbox', 'src/providers', 'workers'];
const otherFolders = ['src/api', 'src/lib', 'src/platform'];

const [stripe, shippo] = await Promise.all([startStripeSimulator(), startShippoSimulator()]);
const bench = await startBench({ STRIPE_API_BASE: stripe.url, SHIPPO_API_BASE: shippo.url });
try {
  const files = await recordOrder(bench.services, stripe.url);
  const count = report('of the path', pathFolders, files);
  report('beside it', otherFolders, files);
  console.log(`\n${count} files of the path; the limit is ${limit}.`);
  process.exitCode = count > limit ? 1 : 0;
} finally {
  await bench.stop();
  await Promise.all([stripe.close(), shippo.close()]);
}

/** Prints the executed files of these folders with their lines and functions. @returns how many files there are */
function report(what: string, folders: readonly string[], files: ReadonlyMap<string, readonly string[]>): number {
  const counts = folders.map((folder) => {
    const executed = [...files].filter(([path, names]) => path.startsWith(`${folder}/`) && names.length > 0);
    console.log(`\n${folder}: ${executed.length}`);
    for (const [path, names] of executed.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const lines = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').split('\n').length - 1;
      const named = [...new Set(names.filter(Boolean))];
      console.log(`  ${String(lines).padStart(4)} ${path}  ${named.join(' ')}`);
    }
    return executed.length;
  });
  const count = counts.reduce((sum, each) => sum + each, 0);
  console.log(`\n${folders.map((folder, index) => `${folder} ${counts[index]}`).join(', ')}: ${count} files ${what}`);
  return count;
}
