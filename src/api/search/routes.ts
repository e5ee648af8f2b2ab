import { defineRoute, toDual } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { presentResult, SearchBody, searchDocuments } from '#src/domain/search/index.ts';
import { PageQuery, Type } from '#src/lib/schema.ts';

export const getSearch = defineRoute({
  operationId: 'search',
  method: 'get',
  path: '/api/v1/search',
  tag: 'search',
  summary: 'Search products and content.',
  audience: toDual('search:read'),
  limit: 'reads',
  expensiveWith: 'q',
  query: Type.Object({
    q: Type.String({ pattern: '\\S', maxLength: 200, examples: ['oak bowl'] }),
    type: Type.Optional(Type.Enum(['product', 'content', 'all'], { default: 'all' })),
    ...PageQuery,
  }),
  responses: { 200: SearchBody },
  caching: 'revalidate',
  cacheable: true,
  async handle({ ctx, query }) {
    const { rows, mode, degraded, cursor } = await searchDocuments(ctx, query);
    const results = rows.map((result) => presentResult(result, ctx.tenant.currency));
    return ok({ results, mode, degraded, cursor });
  },
});
