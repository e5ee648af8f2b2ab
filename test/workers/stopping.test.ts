import { once } from 'node:events';

import test from 'ava';
import { Queue } from 'bullmq';

import { purchaseLabel } from '#jobs/labels.ts';
import { queuePrefix } from '#jobs/queues.ts';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { openOwnServices } from '#test/support/own-services.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { processor } from '#workers/runtime/processor.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

test('a job that outlasts the stop of its process is aborted, is not failed by that, and completes in another', async (t) => {
  const { services, close } = await openOwnServices();
  const relay = startRelay(services, { pollEveryMs: 20 });
  const queue = new Queue('labels', { connection: services.connectBlocking(), prefix: queuePrefix('labels') });
  const work = (handle: (ctx: Context) => Promise<void>) => {
    const onlyOnce = { ...purchaseLabel, retry: { ...purchaseLabel.retry, attempts: 1 } };
    const onExhausted = async () => t.fail('it was taken for failed');
    return startWorkers(services, ['labels'], [processor(onlyOnce, handle, onExhausted)]);
  };
  t.teardown(async () => {
    await Promise.all([relay.close(), queue.close()]);
    await close();
  });
  const attempts: string[] = [];
  const stopping = work(async ({ signal }) => {
    attempts.push('began');
    await once(signal as AbortSignal, 'abort');
    attempts.push('aborted');
    throw signal?.reason;
  });
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await transact(ctx, async (ctx) => enqueue(ctx, purchaseLabel, { labelId: 'lbl_1', attempt: 1 }));
  await until(() => attempts.length === 1);

  const another = work(async () => void attempts.push('completed'));
  await stopping.close(2_000);
  t.deepEqual(attempts.slice(0, 2), ['began', 'aborted']);
  await until(() => attempts.length === 3);
  const row = sql`select finished_at is not null as finished, failed_at from outbox where job = ${purchaseLabel.name}`;
  await until(async () => (await services.execute<{ finished: boolean }>(row))[0]?.finished);
  t.deepEqual(attempts, ['began', 'aborted', 'completed']);
  t.is(await queue.getFailedCount(), 0);
  await another.close(minutes(1));
});
