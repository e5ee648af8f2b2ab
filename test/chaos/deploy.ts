import { parseArgs } from 'node:util';

import { runDeploy } from './run-deploy.ts';

/* `npm run chaos:deploy -- --orders 200`: brings out the next release under load, and counts. */

const { values } = parseArgs({ options: { orders: { type: 'string', default: '100' }, at: { type: 'string', default: '6' } } });
const { failures, breaches } = await runDeploy({ orders: Number(values.orders), atOnce: Number(values.at), report: (line) => console.log(line) });
for (const line of [...failures, ...breaches]) console.error(`✘ ${line}`);
console.log(failures.length + breaches.length === 0 ? 'No request failed, and nothing was lost.' : `${failures.length} requests failed, ${breaches.length} things do not hold.`);
process.exitCode = failures.length + breaches.length > 0 ? 1 : 0;
