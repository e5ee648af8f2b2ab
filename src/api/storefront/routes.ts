import { defineRoute, toPublic } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { presentStorefront, readStorefront, StorefrontBody } from '#src/domain/storefront/index.ts';
import { Type } from '#src/lib/schema.ts';

export const getStorefront = defineRoute({
  operationId: 'getStorefront',
  method: 'get',
  path: '/api/v1/storefront',
  tag: 'storefront',
  summary: 'Read the store configuration.',
  audience: toPublic,
  limit: 'reads',
  responses: { 200: Type.Object({ storefront: StorefrontBody }) },
  caching: 'revalidate',
  cacheable: true,
  async handle({ ctx }) {
    return ok({ storefront: presentStorefront(await readStorefront(ctx)) });
  },
});
