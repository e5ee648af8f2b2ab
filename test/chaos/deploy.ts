import { readOptions } from '#src/cli/lib/script-options.ts';
import { runDeploy } from './run-deploy.ts';

/* `npm run chaos:deploy -- --orders 200`: brings out the next release under load, and counts. */

const { orders, 'at-once': atOnce } = readOptions(
  'Brings out the next release, with a migration, while shoppers buy from the old one, and counts the requests that failed.\n' +
    'Ends with 1 where one did, or something was lost.',
  'npm run chaos:deploy --',
  {
    orders: { default: 100, description: 'Orders to buy meanwhile.' },
    'at-once': { default: 6, description: 'Shoppers at once.' },
  },
  '--orders 200',
);
const { failures, breaches } = await runDeploy({ orders, atOnce, report: (line) => console.log(line) });
for (const line of [...failures, ...breaches]) console.error(`✘ ${line}`);
console.log(
  failures.length + breaches.length === 0
    ? 'No request failed, and nothing was lost.'
    : `${failures.length} requests failed, ${breaches.length} things do not hold.`,
);
process.exitCode = failures.length + breaches.length > 0 ? 1 : 0;
