import { text } from 'node:stream/consumers';
import { readConfig } from '#src/config.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { acceptPaymentEvent } from '#src/domain/payments/index.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices } from '#src/services.ts';
import { createTestClock } from '#test/support/clock.ts';
import { processors } from '#workers/processors.ts';
import { runJob } from '#workers/runtime/run-job.ts';
import type { ChildTask, Task } from './kill-fixture.ts';
import { killAtPoint } from './kill-points.ts';

/*
 * A process that gets one task on its standard input and is killed at one of its points. If it survives, it prints
 * their number.
 */

const clock = createTestClock();
const services = await createServices(readConfig(process.env), 'kill-child', { clock, log: silentLog });
const byName = new Map(processors.map((processor) => [processor.job.name, processor]));

const { task, tenantId, clockAheadMs, killPoint } = JSON.parse(await text(process.stdin)) as ChildTask;
clock.pass(clockAheadMs);
const ctx = { ...services.context(), tenant: await services.tenantOf(tenantId) };
const points = killAtPoint(services, killPoint);
await perform(ctx, task);
points.end();
process.stdout.write(String(points.passed));
process.exit(0);

async function perform(ctx: Context, task: Task): Promise<void> {
  switch (task.kind) {
    case 'check_out':
      await createCheckoutSession(ctx, task.input, { requestKey: task.requestKey });
      return;
    case 'accept':
      await acceptPaymentEvent(ctx, { rawBody: Buffer.from(task.body), signature: task.signature });
      return;
    case 'work': {
      const job = { id: task.outboxJobId, name: task.job, attemptsMade: 0, opts: {} };
      const outcome = await runJob(services, byName, job, {
        shutdown: new AbortController().signal,
      });
      if (outcome.kind !== 'done') throw new Error(`${task.job}: ${JSON.stringify(outcome)}`);
    }
  }
}
