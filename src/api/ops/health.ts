import type { RouterMiddleware } from '@koa/router';

import { readBacklog } from '#src/domain/analytics/index.ts';
import { equalInConstantTime } from '#src/lib/crypto.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { oldestDueByQueue } from '#src/outbox/claims.ts';
import type { Services } from '#src/services.ts';

/** The process runs. */
export const answerHealth: RouterMiddleware = (koa) => {
  koa.body = { ok: true };
};

/** The process can serve: PostgreSQL answers and no shutdown has begun. Redis may be away: the shop is open then. */
export function answerReadiness(services: Services): RouterMiddleware {
  return async (koa) => {
    const database = await services.run(sql`select 1`).then(() => true, () => false);
    const ready = database && !services.isClosing();
    koa.status = ready ? 200 : 503;
    koa.body = { ready, database, redis: services.redis.status === 'ready', closing: services.isClosing() };
  };
}

/** What the process counted, and how far behind each queue is, for whoever holds the token. */
export function answerMetrics(services: Services): RouterMiddleware {
  return async (koa) => {
    const { metricsToken, ops, settings } = services.config;
    const [scheme = '', given = ''] = koa.get('authorization').split(' ');
    const expected = metricsToken ?? (ops && Buffer.from(`${ops.user}:${ops.password}`).toString('base64'));
    const allowed = expected
      ? scheme === (metricsToken ? 'Bearer' : 'Basic') && equalInConstantTime(given, expected)
      : settings.localMode;
    if (!allowed) throw new DomainError('unauthenticated', 'missing_key', 'The metrics need their token.');

    const now = services.clock.now();
    const [behind, { oldestAt }] = await Promise.all([oldestDueByQueue(services.run, now), readBacklog(services.context())]);
    koa.type = services.metrics.registry.contentType;
    koa.body = [
      await services.metrics.registry.metrics(),
      '# HELP storefront_queue_oldest_due_seconds The age of the oldest job that is due, by queue.',
      '# TYPE storefront_queue_oldest_due_seconds gauge',
      ...behind.map(({ queue, seconds }) => `storefront_queue_oldest_due_seconds{queue="${queue}"} ${seconds}`),
      '# HELP storefront_analytics_oldest_batch_seconds The age of the oldest batch of events that waits to be folded.',
      '# TYPE storefront_analytics_oldest_batch_seconds gauge',
      `storefront_analytics_oldest_batch_seconds ${oldestAt ? (now.getTime() - oldestAt.getTime()) / 1000 : 0}`,
      '',
    ].join('\n');
  };
}
