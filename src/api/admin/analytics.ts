import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { DailyView, daily, FunnelView, funnel, PeriodQuery } from '#src/domain/analytics/index.ts';
import { reading } from './audience.ts';

export const getFunnel = defineRoute({
  ...reading('analytics'),
  operationId: 'admin.getFunnel',
  method: 'get',
  path: '/api/v1/admin/analytics/funnel',
  summary: 'Read the funnel: sessions that reached each step, from viewing a product to a paid order.',
  query: PeriodQuery,
  responses: { 200: FunnelView },
  async handle({ ctx, query }) {
    return ok(await funnel(ctx, query));
  },
});

export const getDaily = defineRoute({
  ...reading('analytics'),
  operationId: 'admin.getDailyAnalytics',
  method: 'get',
  path: '/api/v1/admin/analytics/daily',
  summary: 'Read the events, sessions, orders and revenue of each day.',
  query: PeriodQuery,
  responses: { 200: DailyView },
  async handle({ ctx, query }) {
    return ok(await daily(ctx, query));
  },
});
