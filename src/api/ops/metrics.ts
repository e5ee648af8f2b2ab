import type { RouterContext, RouterMiddleware } from '@koa/router';

import { type Operations, readOperations } from '#src/domain/backoffice/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { expose, expositionType, type Family, type Labels, seriesOf } from '#src/platform/exposition.ts';
import type { ProcessState } from '#src/platform/shared-metrics.ts';
import type { Services } from '#src/services.ts';
import type { CheckSecret } from './check-secret.ts';
import { basicLogin } from './protect.ts';
import { sizeProcesses } from './size-processes.ts';

/**
 * Everything there is to watch, for Prometheus. Any web process answers alike: how things stand is read from
 * PostgreSQL, and what was counted is the sum over all processes, workers included.
 */
export function respondMetrics(services: Services, checkSecret: CheckSecret): RouterMiddleware {
  return async (koa) => {
    await requireToken(services, checkSecret, koa);
    const [operations, shared] = await Promise.all([readOperations(services.context()), services.sharedMetrics.read()]);
    koa.type = expositionType;
    koa.body = expose([
      ...standing(operations),
      gauge('storefront_redis_up', 'Whether Redis answers. While it does not, nothing that was counted is told.', [
        [{}, shared ? 1 : 0],
      ]),
      ...(shared ? [...running(shared.processes), ...services.metrics.families(shared.series)] : []),
    ]);
  };
}

/** What to scale by, for an autoscaler: how far behind each queue is and how many processes would catch up. */
export function respondQueues(services: Services, checkSecret: CheckSecret): RouterMiddleware {
  return async (koa) => {
    await requireToken(services, checkSecret, koa);
    const [operations, shared] = await Promise.all([readOperations(services.context()), services.sharedMetrics.read()]);
    koa.set('cache-control', 'no-store');
    koa.body = {
      at: operations.at.toISOString(),
      queues: sizeProcesses(operations, shared, services.config.concurrency),
    };
  };
}

async function requireToken({ config }: Services, checkSecret: CheckSecret, koa: RouterContext): Promise<void> {
  const { metricsToken, ops, settings } = config;
  const expected = metricsToken ? `bearer ${metricsToken}` : ops && basicLogin(ops);
  const allowed = expected ? await checkSecret(koa, expected) : settings.localMode;
  if (!allowed) throw new DomainError('unauthenticated', 'missing_key', 'The metrics need their token.');
}

/** How things stand now, over all stores. */
function standing(operations: Operations): Family[] {
  const { at, queues, reconcileLag: lag, unknownLabels, deliveries, analytics } = operations;
  const age = (since: Date | null) => (since ? Math.max(0, at.getTime() - since.getTime()) / 1000 : 0);
  const byQueue = (value: (queue: Operations['queues'][number]) => number) =>
    queues.map((queue) => [{ queue: queue.queue }, value(queue)] as const);
  const dueOf = (job: string) => queues.flatMap(({ jobs }) => jobs).filter((state) => state.job === job);
  const waiting = (job: string) => dueOf(job).reduce((sum, { due, later }) => sum + due + later, 0);

  return [
    gauge(
      'storefront_queue_oldest_due_seconds',
      'The age of the oldest job that is due, by queue.',
      byQueue(({ oldestDueAt }) => age(oldestDueAt)),
    ),
    gauge(
      'storefront_queue_due',
      'Jobs that are due and not done, by queue.',
      byQueue(({ due }) => due),
    ),
    gauge(
      'storefront_queue_later',
      'Jobs that are promised for later, by queue.',
      byQueue(({ later }) => later),
    ),
    gauge(
      'storefront_queue_failed',
      'Jobs that were given up and wait for a person, by queue.',
      byQueue(({ failed }) => failed),
    ),
    gauge(
      'storefront_outbox_lag_seconds',
      'The age of the oldest due promise that no relay has carried to its queue.',
      [[{}, age(operations.oldestUnrelayedAt)]],
    ),
    gauge(
      'storefront_reconcile_lag_seconds',
      'From a payment event at the provider until it was applied, of the last ten minutes; the quantile 1 is the longest.',
      [
        [{ quantile: 0.5 }, lag.medianSeconds],
        [{ quantile: 0.95 }, lag.p95Seconds],
        [{ quantile: 1 }, lag.maxSeconds],
      ],
    ),
    gauge('storefront_inbound_events_waiting', 'Payment events that were taken in and not applied yet.', [
      [{}, waiting('payments.reconcile-payment-event')],
    ]),
    gauge('storefront_mails_waiting', 'Mails that were not sent yet.', [[{}, waiting('emails.send-mail')]]),
    gauge('storefront_deliveries_due', 'Webhook deliveries that are due.', [[{}, deliveries.count]]),
    gauge('storefront_deliveries_oldest_due_seconds', 'The age of the oldest webhook delivery that is due.', [
      [{}, age(deliveries.oldestAt)],
    ]),
    gauge(
      'storefront_paused_endpoints',
      'Webhook endpoints to which nothing is attempted, because they did not answer.',
      [[{}, operations.pausedEndpoints]],
    ),
    gauge('storefront_labels_outcome_unknown', 'Label purchases of which nobody knows yet whether they happened.', [
      [{}, unknownLabels.count],
    ]),
    gauge('storefront_labels_outcome_unknown_oldest_seconds', 'The age of the oldest of them.', [
      [{}, age(unknownLabels.oldestAt)],
    ]),
    gauge(
      'storefront_analytics_oldest_batch_seconds',
      'The age of the oldest batch of events that waits to be folded.',
      [[{}, age(analytics.oldestAt)]],
    ),
    gauge(
      'storefront_needs_attention',
      'What waits for a person, by kind and reason.',
      operations.attention.map(({ kind, code, count }) => [{ kind, code }, count]),
    ),
  ];
}

/** What runs, and for how many stores a provider is left alone for a moment: the most that any process knows of. */
function running(processes: readonly ProcessState[]): Family[] {
  const byName = Map.groupBy(processes, ({ process }) => process);
  const providers = new Set([
    'stripe',
    'shippo',
    ...processes.flatMap(({ openCircuits }) => Object.keys(openCircuits)),
  ]);
  const most = (values: readonly number[]) => values.reduce((max, value) => Math.max(max, value), 0);
  return [
    gauge(
      'storefront_processes',
      'Processes that run, by name.',
      [...byName].map(([process, some]) => [{ process }, some.length]),
    ),
    gauge(
      'storefront_process_resident_bytes',
      'The memory of the largest process of each name.',
      [...byName].map(([process, some]) => [{ process }, most(some.map(({ residentBytes }) => residentBytes))]),
    ),
    gauge(
      'storefront_open_breakers',
      'Stores for which a provider is left alone for a while, as the process knows that knows of most.',
      [...providers].map((provider) => [
        { provider },
        most(processes.map(({ openCircuits }) => openCircuits[provider] ?? 0)),
      ]),
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly (readonly [labels: Labels, value: number])[]): Family {
  return { name, help, type: 'gauge', samples: samples.map(([labels, value]) => [seriesOf(name, labels), value]) };
}
