import { type Schedule, schedules } from '#jobs/schedules.ts';
import { asPlatform } from '#src/database/transact.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Services } from '#src/services.ts';

/** Promises the current slot of each schedule once it begins. Slots promised before, by any relay, are left alone. */
export function createScheduler(services: Services): () => Promise<void> {
  const enqueuedPeriods = new Map<string, number>();

  return async function enqueueSchedules() {
    const now = services.clock.now().getTime();
    const begun = schedules
      .map((schedule) => ({ job: schedule.job, slot: Math.floor(now / intervalOf(services, schedule)) }))
      .filter(({ job, slot }) => enqueuedPeriods.get(job.name) !== slot);
    if (begun.length === 0) return;

    await asPlatform(services.context(), 'schedules belong to no tenant', async (ctx) => {
      for (const { job, slot } of begun) enqueue(ctx, job, { slot });
    });
    for (const { job, slot } of begun) enqueuedPeriods.set(job.name, slot);
  };
}

function intervalOf(services: Services, { everyMs }: Schedule): number {
  return everyMs === 'sweep' ? services.config.settings.sweepIntervalMs : everyMs;
}
