import type { ScheduledJob } from '#jobs/lib/define-job.ts';
import { schedules } from '#jobs/schedules.ts';
import { asPlatform } from '#src/database/transact.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Services } from '#src/services.ts';

/** Enqueues each scheduled job once per period. A period that another relay has enqueued already is left alone. */
export function createScheduler(services: Services): () => Promise<void> {
  const enqueuedPeriods = new Map<string, number>();

  return async function enqueueSchedules() {
    const now = services.clock.now().getTime();
    const begun = schedules
      .map((job) => ({ job, period: Math.floor(now / intervalOf(services, job)) }))
      .filter(({ job, period }) => enqueuedPeriods.get(job.name) !== period);
    if (begun.length === 0) return;

    await asPlatform(services.context(), 'schedules belong to no tenant', async (ctx) => {
      for (const { job, period } of begun) enqueue(ctx, job, { period });
    });
    for (const { job, period } of begun) enqueuedPeriods.set(job.name, period);
  };
}

function intervalOf(services: Services, { everyMs }: ScheduledJob): number {
  return everyMs === 'sweep' ? services.config.settings.sweepIntervalMs : everyMs;
}
