import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { DailyView, daily, FunnelView, funnel, PeriodQuery } from '#src/domain/analytics/index.ts';
import { listZeroResultSearches } from '#src/domain/search/index.ts';
import { PageQuery, Timestamp, Type } from '#src/lib/schema.ts';
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

const ZeroResultSearchView = Type.Object(
  {
    query: Type.String({ examples: ['oak table'] }),
    count: Type.Integer({ minimum: 1, examples: [12] }),
    last_at: Timestamp,
  },
  { title: 'ZeroResultSearch' },
);

export const getZeroResultSearches = defineRoute({
  ...reading('analytics'),
  operationId: 'admin.listZeroResultSearches',
  method: 'get',
  path: '/api/v1/admin/analytics/zero-result-searches',
  summary: 'List the searches without results of the last 90 days, the most frequent first.',
  query: Type.Object({ limit: PageQuery.limit }),
  responses: { 200: Type.Object({ searches: Type.Array(ZeroResultSearchView) }) },
  async handle({ ctx, query }) {
    const searches = await listZeroResultSearches(ctx, query);
    return ok({
      searches: searches.map(({ query, count, lastAt }) => ({ query, count, last_at: lastAt.toISOString() })),
    });
  },
});
