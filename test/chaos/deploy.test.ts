import test from 'ava';

import { runDeploy } from './run-deploy.ts';

test('a release comes out while shoppers buy: no request fails, and jobs of both releases are done', async (t) => {
  t.timeout(300_000);
  const { failures, breaches } = await runDeploy({ orders: 6, atOnce: 2, report: (line) => t.log(line) });
  t.deepEqual(failures, []);
  t.deepEqual(breaches, []);
});
