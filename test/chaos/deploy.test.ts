import test from 'ava';
import { runDeploy } from './run-deploy.ts';

test('runDeploy while shoppers buy fails no request and completes the jobs of both releases', async (t) => {
  const { failures, breaches } = await runDeploy({ orders: 6, atOnce: 2, report: (line) => t.log(line) });
  t.deepEqual(failures, []);
  t.deepEqual(breaches, []);
});
