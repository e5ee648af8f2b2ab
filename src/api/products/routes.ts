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
import { Id, Nullable, PageQuery, Slug, Text, Type } from '#src/lib/schema.ts';

const params = Type.Object({ slug: Slug });
const cursor = Nullable(Type.String());
const toShoppers = toDual('products:read');

export const getProducts = defineRoute({
  operationId: 'listProducts',
  method: 'get',
  path: '/api/v1/products',
  tag: 'products',
  summary: 'List published products.',
  description:
    'A page may be shorter than its limit, or empty, while its cursor is not null: a page is looked for among at ' +
    'most 500 products where `q`, or `category` together with `tag`, leaves few of them.',
  audience: toShoppers,
  limit: 'reads',
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
  errors: ['invalid_cursor'],
  responses: { 200: Type.Object({ products: Type.Array(ProductBody), cursor }) },
  caching: 'revalidate',
  cacheable: true,
  async handle({ ctx, query }) {
    const { rows, cursor } = await listProductsByWords(ctx, query);
    return ok({ products: rows.map((product) => presentProduct(product, ctx.tenant.currency)), cursor });
  },
});

export const getProduct = defineRoute({
  operationId: 'getProduct',
  method: 'get',
  path: '/api/v1/products/:slug',
  tag: 'products',
  summary: 'Read a published product with its variants.',
  audience: toShoppers,
  limit: 'reads',
  params,
  responses: { 200: Type.Object({ product: ProductDetailBody }) },
  caching: 'revalidate',
  cacheable: true,
  async handle({ ctx, params }) {
    return ok({ product: presentProductDetail(await findProduct(ctx, params.slug), ctx.tenant.currency) });
  },
});

export const getProductImages = defineRoute({
  operationId: 'listProductImages',
  method: 'get',
  path: '/api/v1/products/:slug/images',
  tag: 'products',
  summary: 'List the images of a product.',
  audience: toShoppers,
  limit: 'reads',
  params,
  responses: { 200: Type.Object({ images: Type.Array(ImageBody) }) },
  caching: 'revalidate',
  cacheable: true,
  async handle({ ctx, params }) {
    return ok({ images: presentImages(await listImages(ctx, params.slug)) });
  },
});

export const getProductReviews = defineRoute({
  operationId: 'listProductReviews',
  method: 'get',
  path: '/api/v1/products/:slug/reviews',
  tag: 'products',
  summary: 'List the approved reviews of a product, newest first.',
  audience: toShoppers,
  limit: 'reads',
  params,
  query: Type.Object(PageQuery),
  errors: ['invalid_cursor'],
  responses: { 200: Type.Object({ reviews: Type.Array(ReviewBody), summary: RatingBody, cursor }) },
  module: 'reviews',
  caching: 'revalidate',
  cacheable: true,
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
