import type { Middleware } from 'koa';

import type { Services } from '#src/services.ts';
import { RequestRouter } from '../lib/request-router.ts';
import { analyticsPages } from './analytics.ts';
import { bulkPages } from './bulk.ts';
import { createSecretCheck } from './check-secret.ts';
import { driftPages } from './drift.ts';
import { emailPages } from './emails.ts';
import { respondHealth, respondReadiness } from './health.ts';
import { labelPages } from './labels.ts';
import { respondMetrics, respondQueues } from './metrics.ts';
import { openOnFirstUse } from './open-board.ts';
import { overviewPages } from './overview.ts';
import { protectOps } from './protect.ts';
import { webhookPages } from './webhooks.ts';

/** The routes for operators: health checks and metrics for their machines, and the pages under /ops. */
export function opsRoutes(services: Services): Middleware[] {
  const checkSecret = createSecretCheck(services);
  const machines = new RequestRouter();
  machines.serve('/healthz', { get: respondHealth });
  machines.serve('/readyz', { get: respondReadiness(services) });
  machines.serve('/metrics', { get: respondMetrics(services, checkSecret) });
  machines.serve('/metrics/queues', { get: respondQueues(services, checkSecret) });
  return [
    machines.middleware(),
    protectOps(services, checkSecret),
    ...[overviewPages, labelPages, webhookPages, emailPages, driftPages, analyticsPages, bulkPages].map(
      (pages) => pages(services).routes() as Middleware,
    ),
    openOnFirstUse(services),
  ];
}
