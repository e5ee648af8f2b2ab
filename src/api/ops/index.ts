import Router from '@koa/router';
import type { Middleware } from 'koa';

import type { Services } from '#src/services.ts';
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
  const machines = new Router();
  machines.get('/healthz', respondHealth);
  machines.get('/readyz', respondReadiness(services));
  machines.get('/metrics', respondMetrics(services, checkSecret));
  machines.get('/metrics/queues', respondQueues(services, checkSecret));
  return [
    machines.routes() as Middleware,
    protectOps(services, checkSecret),
    ...[overviewPages, labelPages, webhookPages, emailPages, driftPages, analyticsPages, bulkPages].map(
      (pages) => pages(services).routes() as Middleware,
    ),
    openOnFirstUse(services),
  ];
}
