import { readPage } from '#src/database/read-page.ts';
import { readOne, writeRows } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import {
  Email,
  Id,
  IntegerLike,
  Nullable,
  OmittableOrEmpty,
  type Static,
  Text,
  Timestamp,
  Type,
} from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';

/** A shopper's review of a product. Only the owner sees the email. */
export const ReviewInput = Type.Object({
  rating: IntegerLike({ minimum: 1, maximum: 5 }, { examples: [5] }),
  title: OmittableOrEmpty(Text(200, { examples: ['A fine bowl'] })),
  body: OmittableOrEmpty(Text(5000, { examples: ['It holds a great deal of fruit.'] })),
  author_name: OmittableOrEmpty(Text(100, { examples: ['Ada'] })),
  email: OmittableOrEmpty(Email),
});
export type ReviewInput = Static<typeof ReviewInput>;

/**
 * Store a review. It is published when the owner approves it.
 * @throws DomainError not_found for an unknown product
 */
export async function submitReview(
  ctx: Context,
  slug: string,
  input: ReviewInput,
): Promise<{ id: string; status: 'pending' }> {
  const [review] = await writeRows<{ id: string }>(
    ctx,
    sql`
    insert into reviews (tenant_id, id, product_id, status, rating, title, body, author_name, email, created_at)
    select p.tenant_id, ${newId('rev')}, p.id, 'pending', ${input.rating}::int, ${input.title ?? null}::text,
      ${input.body ?? null}::text, ${input.author_name?.trim() || 'Anonymous'}::text,
      ${input.email ? normaliseEmail(input.email) : null}::text, ${ctx.clock.now()}::timestamptz
    from products p
    where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug} and p.status = 'published' and p.removed_at is null
    returning id`,
  );
  if (!review) throw notFound('product');
  return { id: review.id, status: 'pending' };
}

export type ReviewRow = Omit<RowOf<typeof ReviewBody>, 'createdAt'> & { readonly createdAt: string };

export interface ProductReviews {
  readonly ratingCount: number;
  readonly ratingAverage: number;
  readonly reviews: Page<ReviewRow>;
}

/**
 * The approved reviews of a published product, newest first, and its rating.
 * @throws DomainError not_found
 */
export async function listReviews(
  ctx: Context,
  slug: string,
  { cursor, limit = 20 }: PageRequest,
): Promise<ProductReviews> {
  const list = keyset(ctx, `reviews ${slug}`, { columns: ['r.id'], descending: true }, cursor);
  const product = await readOne<Omit<ProductReviews, 'reviews'> & { reviews: (ReviewRow & { position: Position })[] }>(
    ctx,
    sql`
    select p.rating_count as "ratingCount", p.rating_average::float8 as "ratingAverage", (
      select coalesce(json_agg(page), '[]') from (
        select r.id, r.rating, r.title, r.body, r.author_name as "authorName",
          r.verified_purchase as "verifiedPurchase", r.created_at as "createdAt", ${list.position} as position
        from reviews r
        where r.tenant_id = p.tenant_id and r.product_id = p.id and r.status = 'approved' and ${list.after}
        order by ${list.by} limit ${limit + 1}) as page) as reviews
    from products p
    where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug}
      and case when p.removed_at is null then p.status = 'published' end`,
  );
  if (!product) throw notFound('product');
  return { ...product, reviews: list.page(product.reviews, limit) };
}

/** A review as shoppers see it. */
export const ReviewBody = Type.Object({
  id: Id('rev'),
  rating: Type.Integer({ minimum: 1, maximum: 5 }),
  title: Nullable(Type.String()),
  body: Nullable(Type.String()),
  author_name: Type.String(),
  verified_purchase: Type.Boolean(),
  created_at: Timestamp,
});

export function presentReview(review: ReviewRow): Static<typeof ReviewBody> {
  return presentAs(ReviewBody, { ...review, createdAt: new Date(review.createdAt) });
}

export const reviewStatuses = ['pending', 'approved', 'rejected'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** A review as the owner sees it. */
export type ManagedReview = RowOf<typeof ManagedReviewView> & { readonly productId: string };

/**
 * One page of the store's reviews, newest first, optionally of one status.
 * @throws DomainError `invalid_cursor`
 */
export async function listManagedReviews(
  ctx: Context,
  { status, ...page }: PageRequest & { status?: ReviewStatus | undefined },
): Promise<Page<ManagedReview>> {
  const byStatus = status && { column: 'r.status', value: status };
  return readPage<ManagedReview>(
    ctx,
    { name: 'managed reviews', of: byStatus, columns: ['r.id'], descending: true },
    page,
    (position) => selectReviews(ctx, position),
    { replica: true },
  );
}

/** @returns the review, or `undefined` for an unknown id */
export async function readManagedReview(ctx: Context, id: string): Promise<ManagedReview | undefined> {
  return readOne<ManagedReview>(ctx, sql`${selectReviews(ctx)} and r.id = ${id}`);
}

const selectReviews = (ctx: Context, more: Sql = sql``): Sql => sql`
  select r.id, r.product_id as "productId", p.slug as "productSlug", r.status, r.rating, r.title, r.body,
    r.author_name as "authorName", r.email, r.verified_purchase as "verifiedPurchase",
    exists (
      select from reviews o
      where o.tenant_id = ${ctx.tenant.id} and o.product_id = r.product_id and o.email = r.email
        and o.status = 'approved' and o.id <> r.id) as "otherApproved",
    r.created_at as "createdAt", r.decided_at as "decidedAt"${more}
  from reviews r cross join lateral (
    select slug from products where tenant_id = ${ctx.tenant.id} and id = r.product_id offset 0) as p
  where r.tenant_id = ${ctx.tenant.id}`;

/**
 * Approve or reject a review; a decision may be changed later. Only approved reviews are published and count in the
 * rating of their product.
 * @param isVerified whether the author has bought the product
 * @throws DomainError not_found
 */
export async function decideReview(
  ctx: InTransaction,
  reviewId: string,
  status: 'approved' | 'rejected',
  { isVerified }: { isVerified: boolean },
): Promise<Change> {
  const [review] = await ctx.tx.execute<{ status: string }>(sql`
    with review as (
      select id, product_id, rating, status from reviews
      where tenant_id = ${ctx.tenant.id} and id = ${reviewId} for update),
    decided as (
      update reviews r set status = ${status}::text, decided_at = ${ctx.clock.now()},
        verified_purchase = ${isVerified}::boolean
      from review where r.tenant_id = ${ctx.tenant.id} and r.id = review.id and review.status <> ${status}::text),
    counted as (
      select product_id, rating, (${status}::text = 'approved')::int - (status = 'approved')::int as change
      from review),
    rated as (
      update products p set rating_count = p.rating_count + counted.change,
        rating_total = p.rating_total + counted.change * counted.rating
      from counted where p.tenant_id = ${ctx.tenant.id} and p.id = counted.product_id and counted.change <> 0)
    select status from review`);
  if (!review) throw notFound('review');
  const isSame = review.status === status;
  return { subject: `review ${reviewId}`, action: isSame ? 'unchanged' : 'updated', fields: isSame ? [] : ['status'] };
}

/** A review as the owner sees it, with the author's email. */
export const ManagedReviewView = Type.Object(
  {
    ...ReviewBody.properties,
    product_slug: Type.String({ examples: ['oak-bowl'] }),
    status: Type.Enum([...reviewStatuses]),
    email: Nullable(Type.String({ examples: ['ada@example.com'] })),
    /** Whether another review of the product with this email is approved. */
    other_approved: Type.Boolean(),
    decided_at: Nullable(Timestamp),
  },
  { title: 'ManagedReview' },
);

export function presentManagedReview(review: ManagedReview): Static<typeof ManagedReviewView> {
  return presentAs(ManagedReviewView, review);
}
