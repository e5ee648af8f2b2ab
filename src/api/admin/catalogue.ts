import { defineRoute, largeBodyBytesMax } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { auditedCreation, auditedRemoval, auditedUpdate, ExpectedVersion } from '#src/domain/audit/index.ts';
import {
  listStockMovements,
  ManagedProductFilter,
  ManagedProductView,
  ProductInput,
  ProductReplacement,
  presentManagedProduct,
  presentStock,
  readManagedProduct,
  removeProduct,
  StockInput,
  StockMovementView,
  StockView,
  saveProduct,
  saveStock,
} from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listManagedProductsByWords } from '#src/domain/search/index.ts';
import { found } from '#src/lib/errors.ts';
import { Done, Id, PageOf, PageQuery, Slug, Text, Type } from '#src/lib/schema.ts';
import { reading, searched, writing } from './audience.ts';

const Named = Type.Object({ slug: Slug });
const ProductResponse = Type.Object({ product: ManagedProductView });

const viewOf = (slug: string) => async (ctx: Context) => {
  const product = await readManagedProduct(ctx, slug);
  return product && presentManagedProduct(product, ctx.tenant.currency);
};

export const getProducts = defineRoute({
  ...reading('catalog'),
  operationId: 'admin.listProducts',
  method: 'get',
  path: '/api/v1/admin/products',
  summary: 'List products including drafts, newest first.',
  description: searched('products'),
  query: Type.Object({
    ...ManagedProductFilter.properties,
    q: Type.Optional(
      Text(200, {
        description: 'A SKU, a slug, how a name begins, or words of a published product.',
        examples: ['BOWL-L'],
      }),
    ),
    ...PageQuery,
  }),
  responses: { 200: PageOf('products', ManagedProductView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listManagedProductsByWords(ctx, query);
    return ok({ products: rows.map((product) => presentManagedProduct(product, ctx.tenant.currency)), cursor });
  },
});

export const postProduct = defineRoute({
  ...writing('catalog'),
  operationId: 'admin.createProduct',
  method: 'post',
  path: '/api/v1/admin/products',
  summary: 'Create a product with its variants.',
  body: ProductInput,
  bodyBytesMax: largeBodyBytesMax,
  responses: { 201: ProductResponse },
  async handle({ ctx, body }) {
    const product = await auditedCreation(ctx, {
      kind: 'product',
      name: body.slug,
      nameField: '/slug',
      view: viewOf(body.slug),
      change: (ctx) => saveProduct(ctx, body),
    });
    return created({ product });
  },
});

export const getProduct = defineRoute({
  ...reading('catalog'),
  operationId: 'admin.getProduct',
  method: 'get',
  path: '/api/v1/admin/products/:slug',
  summary: 'Read a product, published or not.',
  params: Named,
  responses: { 200: ProductResponse },
  async handle({ ctx, params }) {
    return ok({ product: found(await viewOf(params.slug)(ctx), 'product') });
  },
});

export const putProduct = defineRoute({
  ...writing('catalog'),
  operationId: 'admin.replaceProduct',
  method: 'put',
  path: '/api/v1/admin/products/:slug',
  summary: 'Replace a product. Omitted variants are removed. Stock is set only for new variants.',
  params: Named,
  body: Type.Object({ ...ProductReplacement.properties, version: ExpectedVersion }),
  bodyBytesMax: largeBodyBytesMax,
  errors: ['version_conflict'],
  responses: { 200: ProductResponse },
  async handle({ ctx, params: { slug }, body: { version, ...product } }) {
    const replaced = await auditedUpdate(
      ctx,
      {
        kind: 'product',
        name: slug,
        view: viewOf(slug),
        change: (ctx) => saveProduct(ctx, { ...product, slug }, { prune: true }),
      },
      { version },
    );
    return ok({ product: replaced });
  },
});

export const deleteProduct = defineRoute({
  ...writing('catalog'),
  operationId: 'admin.deleteProduct',
  method: 'delete',
  path: '/api/v1/admin/products/:slug',
  summary: 'Remove a product.',
  description:
    'A product that is created with its slug later is the same product, with its id, its orders and its reviews.',
  params: Named,
  responses: { 200: Done },
  async handle({ ctx, params: { slug } }) {
    await auditedRemoval(ctx, {
      kind: 'product',
      name: slug,
      view: viewOf(slug),
      change: (ctx) => removeProduct(ctx, slug),
    });
    return ok({ ok: true });
  },
});

export const putStock = defineRoute({
  ...writing('catalog'),
  operationId: 'admin.changeStock',
  method: 'put',
  path: '/api/v1/admin/stock',
  idempotent: 'atomic',
  summary: 'Set or adjust the stock of variants, all or nothing.',
  body: StockInput,
  bodyBytesMax: largeBodyBytesMax,
  errors: ['not_found', 'version_conflict', 'insufficient_stock'],
  responses: { 200: Type.Object({ items: Type.Array(StockView) }) },
  async handle({ ctx, body }) {
    const moves = await saveStock(ctx, body);
    return ok({ items: moves.map(presentStock) });
  },
});

export const getStockMovements = defineRoute({
  ...reading('catalog'),
  operationId: 'admin.listStockMovements',
  method: 'get',
  path: '/api/v1/admin/stock/movements',
  summary: 'List the stock movements of a variant, newest first.',
  query: Type.Object({ variant_id: Id('var'), ...PageQuery }),
  responses: { 200: PageOf('movements', StockMovementView) },
  async handle({ ctx, query: { variant_id: variantId, ...page } }) {
    const { rows, cursor } = await listStockMovements(ctx, { ...page, variantId });
    return ok({ movements: rows, cursor });
  },
});
