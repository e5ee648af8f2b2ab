import { defineRoute, toDual } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { InventoryBody, presentInventory, readInventory, readInventoryOf } from '#src/domain/catalog/index.ts';
import { rejectIssues } from '#src/lib/errors.ts';
import { Slug, Type } from '#src/lib/schema.ts';

const variants = Type.Array(InventoryBody);
const idsMax = 50;

export const getInventory = defineRoute({
  operationId: 'listStock',
  method: 'get',
  path: '/api/v1/inventory',
  tag: 'inventory',
  summary: `Read the stock status of up to ${idsMax} variants. Unknown ones are left out.`,
  audience: toDual('inventory:read'),
  limit: 'reads',
  query: Type.Object({
    variant_ids: Type.String({
      maxLength: idsMax * 101,
      examples: ['var_01m7xfs208fk1sctzyr3afnpz3,var_01m7xfs208fk1sctzyr3afnpz4'],
    }),
  }),
  responses: { 200: Type.Object({ variants }) },
  caching: 'revalidate',
  async handle({ ctx, query }) {
    const ids = query.variant_ids
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '');
    if (ids.length > idsMax)
      rejectIssues([{ path: '/variant_ids', code: 'maxItems', detail: `must have at most ${idsMax} items` }]);
    const rows = await readInventoryOf(ctx, ids);
    return ok({ variants: rows.map(presentInventory) });
  },
});

export const getProductInventory = defineRoute({
  operationId: 'getProductStock',
  method: 'get',
  path: '/api/v1/inventory/:slug',
  tag: 'inventory',
  summary: 'Read the stock status of each variant of a product.',
  audience: toDual('inventory:read'),
  limit: 'reads',
  params: Type.Object({ slug: Slug }),
  responses: { 200: Type.Object({ product_slug: Slug, variants }) },
  caching: 'revalidate',
  async handle({ ctx, params }) {
    const rows = await readInventory(ctx, params.slug);
    return ok({ product_slug: params.slug, variants: rows.map(presentInventory) });
  },
});
