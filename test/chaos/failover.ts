import { readOptions } from '#src/cli/lib/script-options.ts';

/* `npm run chaos:failover`: kills a Redis master and stops PostgreSQL while shoppers buy, and prints what they saw. */

const { down } = readOptions(
  'Sells while a master of a Redis Cluster is killed, a process starts without it, and PostgreSQL crashes and is stopped.\n' +
    'Prints what shoppers saw and how long it took until all was well. Exits with 1 when something was lost or done twice.',
  'npm run chaos:failover --',
  { down: { default: 5000, description: 'Milliseconds for which PostgreSQL is stopped.' } },
  '--down 20000',
);
const { runFailover } = await import('./run-failover.ts');
const failovers = await runFailover({ downMs: down, report: (line) => console.log(line) });
for (const { what, rejected, slowestMs, resolvedMs, breaches } of failovers) {
  const numbers = `${rejected} requests rejected with 503, the slowest took ${inSeconds(slowestMs)}`;
  console.log(`${breaches.length > 0 ? '✘' : '✔'} ${what}: ${numbers}; all was well after ${inSeconds(resolvedMs)}.`);
  for (const breach of breaches.slice(0, 20)) console.error(`    ${breach}`);
}
process.exitCode = failovers.some(({ breaches }) => breaches.length > 0) ? 1 : 0;

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
