import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';

/**
 * Approve or reject a review; what was decided may be decided otherwise. Only approved reviews are seen, and count in
 * the rating of their product. `isVerified`: whoever wrote it has bought the product. Throws not_found.
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
      update reviews r set status = ${status}::text, decided_at = ${ctx.clock.now()}, verified_purchase = ${isVerified}::boolean
      from review where r.tenant_id = ${ctx.tenant.id} and r.id = review.id and review.status <> ${status}::text),
    counted as (
      select product_id, rating, (${status}::text = 'approved')::int - (status = 'approved')::int as change from review),
    rated as (
      update products p set rating_count = p.rating_count + counted.change,
        rating_total = p.rating_total + counted.change * counted.rating
      from counted where p.tenant_id = ${ctx.tenant.id} and p.id = counted.product_id and counted.change <> 0)
    select status from review`);
  if (!review) throw notFound('review');
  const isSame = review.status === status;
  return { subject: `review ${reviewId}`, action: isSame ? 'unchanged' : 'updated', fields: isSame ? [] : ['status'] };
}
