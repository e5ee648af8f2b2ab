import type { RouterContext } from '@koa/router';

import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { isDatabaseBusy } from '#src/database/is-database-busy.ts';
import { type Operations, readOperations } from '#src/domain/backoffice/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { within } from '#src/lib/within.ts';
import { expose, expositionType, type Family, type Labels, seriesOf } from '#src/platform/exposition.ts';
import type { ProcessState } from '#src/platform/shared-metrics.ts';
import type { Services } from '#src/services.ts';
import type { Handler } from '../lib/request-router.ts';
import type { CheckSecret } from './check-secret.ts';
import { basicLogin } from './protect.ts';
import { sizeProcesses } from './size-processes.ts';

/**
 * The metrics, for Prometheus. Every web process reports the same: the current state is read from PostgreSQL, and
 * counters are the sum over all processes, workers included.
 */
export function respondMetrics(services: Services, checkSecret: CheckSecret): Handler {
  return async (koa) => {
    await requireToken(services, checkSecret, koa);
    const [operations, shared] = await Promise.all([readWhileUp(services), services.sharedMetrics.read()]);
    koa.type = expositionType;
    koa.body = expose([
      ...(operations ? currentState(operations) : []),
      gauge(
        'storefront_database_up',
        'Whether PostgreSQL responds in time and accepts changes. While it does not respond, no state is reported.',
        [[{}, operations?.acceptsChanges ? 1 : 0]],
      ),
      gauge('storefront_redis_up', 'Whether Redis responds. While it does not, counters are not reported.', [
        [{}, shared ? 1 : 0],
      ]),
      ...(shared ? [...running(shared.processes), ...services.metrics.families(shared.series)] : []),
    ]);
  };
}

/** @returns `undefined` while PostgreSQL does not respond, or not in time: counters are reported all the same */
function readWhileUp(services: Services): Promise<Operations | undefined> {
  const reading = readOperations(services.context()).catch((error: unknown) => {
    if (!isDatabaseAway(error) && !isDatabaseBusy(error)) throw error;
    return undefined;
  });
  return within(services.timeouts.scrapeMs, reading);
}

/** What to scale by, for an autoscaler: how far behind each queue is and how many processes would catch up. */
export function respondQueues(services: Services, checkSecret: CheckSecret): Handler {
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
  if (!allowed) throw new DomainError('unauthenticated', 'missing_key', 'The metrics require a token.');
}

/** The current state, over all stores. */
function currentState(operations: Operations): Family[] {
  const { at, queues, reconcileLag: lag, unknownLabels, deliveries, analytics } = operations;
  const age = (since: Date | null) => (since ? Math.max(0, at.getTime() - since.getTime()) / 1000 : 0);
  const byQueue = (value: (queue: Operations['queues'][number]) => number) =>
    queues.map((queue) => [{ queue: queue.queue }, value(queue)] as const);
  const dueOf = (job: string) => queues.flatMap(({ jobs }) => jobs).filter((state) => state.job === job);
  const waiting = (job: string) => dueOf(job).reduce((sum, { due, later }) => sum + due + later, 0);

  return [
    gauge(
      'storefront_queue_oldest_due_seconds',
      'Age of the oldest due job, by queue.',
      byQueue(({ oldestDueAt }) => age(oldestDueAt)),
    ),
    gauge(
      'storefront_queue_due',
      'Jobs that are due and not completed, by queue.',
      byQueue(({ due }) => due),
    ),
    gauge(
      'storefront_queue_later',
      'Jobs that are scheduled for later, or wait for another release, by queue.',
      byQueue(({ later }) => later),
    ),
    gauge(
      'storefront_queue_failed',
      'Failed jobs that wait for an operator, by queue.',
      byQueue(({ failed }) => failed),
    ),
    gauge(
      'storefront_outbox_lag_seconds',
      'Age of the oldest due job that the relay has not yet added to its queue, although the queue has room for it.',
      [[{}, age(operations.oldestUnrelayedAt)]],
    ),
    gauge(
      'storefront_reconcile_lag_seconds',
      'Time from a payment event at the provider until it was applied, over the last ten minutes; ' +
        'quantile 1 is the maximum.',
      [
        [{ quantile: 0.5 }, lag.medianSeconds],
        [{ quantile: 0.95 }, lag.p95Seconds],
        [{ quantile: 1 }, lag.maxSeconds],
      ],
    ),
    gauge('storefront_inbound_events_waiting', 'Payment events received and not applied yet.', [
      [{}, waiting('payments.reconcile-payment-event')],
    ]),
    gauge('storefront_mails_waiting', 'Emails that are not sent yet.', [[{}, waiting('emails.send-mail')]]),
    gauge('storefront_deliveries_due', 'Webhook deliveries that are due.', [[{}, deliveries.count]]),
    gauge('storefront_deliveries_oldest_due_seconds', 'Age of the oldest due webhook delivery.', [
      [{}, age(deliveries.oldestAt)],
    ]),
    gauge('storefront_paused_endpoints', 'Webhook endpoints that are paused because they did not respond.', [
      [{}, operations.pausedEndpoints],
    ]),
    gauge('storefront_labels_outcome_unknown', 'Label purchases with an unknown outcome.', [[{}, unknownLabels.count]]),
    gauge(
      'storefront_labels_outcome_unknown_oldest_seconds',
      'Age of the oldest label purchase with an unknown outcome.',
      [[{}, age(unknownLabels.oldestAt)]],
    ),
    gauge(
      'storefront_analytics_oldest_batch_seconds',
      'Age of the oldest batch of events that waits to be aggregated.',
      [[{}, age(analytics.oldestAt)]],
    ),
    gauge(
      'storefront_needs_attention',
      'What needs attention, by kind and reason.',
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
      'Running processes, by name.',
      [...byName].map(([process, some]) => [{ process }, some.length]),
    ),
    gauge(
      'storefront_process_resident_bytes',
      'Resident memory of the largest process, by name.',
      [...byName].map(([process, some]) => [{ process }, most(some.map(({ residentBytes }) => residentBytes))]),
    ),
    gauge(
      'storefront_open_breakers',
      'Stores with an open circuit breaker, by provider: the maximum over all processes.',
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
