import anyTest, { type TestFn } from 'ava';

import { type TestContext, useContext } from '#test/support/context.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('runJobs returns when the jobs are done that a test beside it has claimed', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id);
  receiver.behave('hang');
  const beside = runJobs(services);
  await until(() => receiver.waiting === 1);
  // Later than a run returns that finds no job due.
  setTimeout(() => receiver.release(), 500);
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { delivered: 1 });
  await beside;
});
