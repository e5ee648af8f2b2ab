import { readOne } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

export interface ReviewRow {
  readonly id: string;
  readonly rating: number;
  readonly title: string | null;
  readonly body: string | null;
  readonly authorName: string;
  readonly verifiedPurchase: boolean;
  readonly createdAt: string;
}

export interface ProductReviews {
  readonly ratingCount: number;
  readonly ratingAverage: number;
  readonly reviews: Page<ReviewRow>;
}

/** The approved reviews of a published product, the newest first, and what they come to. Throws not_found. */
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
    where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug} and p.status = 'published' and p.removed_at is null`,
  );
  if (!product) throw notFound('product');
  return { ...product, reviews: list.page(product.reviews, limit) };
}
