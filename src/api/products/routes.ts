import { defineRoute, toDual, toPublic } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import {
  findProduct,
  ImageBody,
  listImages,
  listReviews,
  ProductBody,
  ProductDetailBody,
  presentImages,
  presentProduct,
  presentProductDetail,
  presentReview,
  RatingBody,
  ReviewBody,
  ReviewInput,
  submitReview,
  Tag,
} from '#src/domain/catalog/index.ts';
import { listProductsByWords } from '#src/domain/search/index.ts';
import { Id, Nullable, PageOf, PageQuery, Slug, Text, Type } from '#src/lib/schema.ts';

const params = Type.Object({ slug: Slug });

const shown = {
  tag: 'products',
  audience: toDual('products:read'),
  limit: 'reads',
  caching: 'revalidate',
  cacheable: true,
} as const;

export const getProducts = defineRoute({
  ...shown,
  operationId: 'listProducts',
  method: 'get',
  path: '/api/v1/products',
  summary: 'List published products.',
  description:
    'A page may be shorter than its limit, or empty, while its cursor is not null: a page is looked for among at ' +
    'most 500 products where `q`, or `category` together with `tag`, leaves few of them.',
  expensiveWith: 'q',
  query: Type.Object({
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        examples: ['oak bowl'],
        description: 'Words that the name or the description must contain, or that are a SKU: all of them.',
      }),
    ),
    category: Type.Optional(Text(100)),
    tag: Type.Optional(Tag),
    sort: Type.Optional(Type.Enum(['newest', 'price_asc', 'price_desc', 'name'], { default: 'newest' })),
    ...PageQuery,
  }),
  responses: { 200: PageOf('products', ProductBody) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listProductsByWords(ctx, query);
    return ok({ products: rows.map((product) => presentProduct(product, ctx.tenant.currency)), cursor });
  },
});

export const getProduct = defineRoute({
  ...shown,
  operationId: 'getProduct',
  method: 'get',
  path: '/api/v1/products/:slug',
  summary: 'Read a published product with its variants.',
  params,
  responses: { 200: Type.Object({ product: ProductDetailBody }) },
  async handle({ ctx, params }) {
    return ok({ product: presentProductDetail(await findProduct(ctx, params.slug), ctx.tenant.currency) });
  },
});

export const getProductImages = defineRoute({
  ...shown,
  operationId: 'listProductImages',
  method: 'get',
  path: '/api/v1/products/:slug/images',
  summary: 'List the images of a product.',
  params,
  responses: { 200: Type.Object({ images: Type.Array(ImageBody) }) },
  async handle({ ctx, params }) {
    return ok({ images: presentImages(await listImages(ctx, params.slug)) });
  },
});

export const getProductReviews = defineRoute({
  ...shown,
  operationId: 'listProductReviews',
  method: 'get',
  path: '/api/v1/products/:slug/reviews',
  summary: 'List the approved reviews of a product, newest first.',
  params,
  query: Type.Object(PageQuery),
  responses: {
    200: Type.Object({ reviews: Type.Array(ReviewBody), summary: RatingBody, cursor: Nullable(Type.String()) }),
  },
  module: 'reviews',
  async handle({ ctx, params, query }) {
    const { reviews, ratingCount, ratingAverage } = await listReviews(ctx, params.slug, query);
    const summary = { count: ratingCount, average: ratingAverage };
    return ok({ reviews: reviews.rows.map(presentReview), summary, cursor: reviews.cursor });
  },
});

/** 202 and not 201, because the review is not published until the owner approves it. */
export const postProductReview = defineRoute({
  operationId: 'createProductReview',
  method: 'post',
  path: '/api/v1/products/:slug/reviews',
  tag: 'products',
  summary: 'Submit a product review.',
  audience: toPublic,
  params,
  body: ReviewInput,
  limit: 'reviews',
  idempotent: 'atomic',
  responses: { 202: Type.Object({ review: Type.Object({ id: Id('rev'), status: Type.Literal('pending') }) }) },
  module: 'reviews',
  async handle({ ctx, params, body }) {
    return accepted({ review: await submitReview(ctx, params.slug, body) });
  },
});
