import { defineRoute, scopesOf } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { OverviewView, readOverview } from '#src/domain/backoffice/index.ts';
import { Type } from '#src/lib/schema.ts';
import { reading } from './audience.ts';

export const getOverview = defineRoute({
  ...reading('orders'),
  operationId: 'admin.getOverview',
  method: 'get',
  path: '/api/v1/admin/overview',
  summary: 'Read what needs attention in the store, and what to do about it.',
  responses: { 200: Type.Object({ overview: OverviewView }) },
  async handle({ ctx, caller }) {
    return ok({ overview: await readOverview(ctx, scopesOf(caller)) });
  },
});
