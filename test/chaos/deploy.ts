import { readOptions } from '#src/cli/lib/script-options.ts';

/* `npm run chaos:deploy -- --orders 200`: deploys the next release under load and checks the invariants. */

const { orders, 'at-once': atOnce } = readOptions(
  'Deploys the next release, with a migration, while shoppers buy from the old one, and counts the failed requests.\n' +
    'Exits with 1 when a request failed or something was lost.',
  'npm run chaos:deploy --',
  {
    orders: { default: 100, description: 'Shoppers in each of three phases: old, both, new.' },
    'at-once': { default: 6, description: 'Concurrent shoppers.' },
  },
  '--orders 200',
);
const { runDeploy } = await import('./run-deploy.ts');
const { failures, breaches } = await runDeploy({ orders, atOnce, report: (line) => console.log(line) });
for (const line of [...failures, ...breaches]) console.error(`✘ ${line}`);
console.log(
  failures.length + breaches.length === 0
    ? 'No request failed, and nothing was lost.'
    : `${failures.length} requests failed, ${breaches.length} invariants are violated.`,
);
process.exitCode = failures.length + breaches.length > 0 ? 1 : 0;
