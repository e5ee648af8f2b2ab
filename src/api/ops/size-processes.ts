import type { QueueName } from '#jobs/queues.ts';
import type { Operations } from '#src/domain/backoffice/index.ts';
import { type SharedNumbers, worksAs } from '#src/platform/shared-metrics.ts';

/** One queue, as an autoscaler reads it. */
export interface QueueSize {
  readonly queue: QueueName;
  /** The process type of the Procfile that works it alone. */
  readonly process_type: string;
  readonly due: number;
  readonly oldest_due_seconds: number;
  /** How long a run takes on average; null until one was counted. */
  readonly mean_run_seconds: number | null;
  /** Processes that work this queue now, `worker` included; null while Redis is away. */
  readonly processes: number | null;
  /** The number of processes that would finish the due jobs in time. */
  readonly suggested_processes: number;
}

/** How soon due jobs should be finished. */
const drainSeconds = 15;
/** Taken for a run's time until one was counted. */
const assumedRunSeconds = 0.5;

/**
 * How many processes each queue would keep busy: the due work (jobs times average duration) divided by the concurrency
 * and fifteen seconds, and at least one. The number does not consider CPUs or the database: set a maximum.
 */
export function sizeProcesses(
  { at, queues }: Operations,
  shared: SharedNumbers | undefined,
  concurrency: Readonly<Record<QueueName, number>>,
): QueueSize[] {
  return queues.map(({ queue, due, oldestDueAt }) => {
    const mean = shared && meanRunSeconds(shared.series, queue);
    const work = due * (mean ?? assumedRunSeconds);
    const type = `worker-${queue}`;
    return {
      queue,
      process_type: type,
      due,
      oldest_due_seconds: oldestDueAt ? Math.max(0, at.getTime() - oldestDueAt.getTime()) / 1000 : 0,
      mean_run_seconds: mean ?? null,
      processes: shared ? shared.processes.filter(worksAs(type)).length : null,
      suggested_processes: Math.max(1, Math.ceil(work / (concurrency[queue] * drainSeconds))),
    };
  });
}

/** A job that was returned, because the release does not know it, was not run. */
function meanRunSeconds(series: ReadonlyMap<string, number>, queue: QueueName): number | undefined {
  const runs = [...series].filter(([key]) => !key.includes('outcome="returned"'));
  const total = (name: string) =>
    runs.reduce((sum, [key, value]) => (key.startsWith(`${name}{queue="${queue}",`) ? sum + value : sum), 0);
  const count = total('storefront_job_seconds_count');
  return count > 0 ? total('storefront_job_seconds_sum') / count : undefined;
}
