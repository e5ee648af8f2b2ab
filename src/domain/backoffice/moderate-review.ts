import { found } from '#src/lib/errors.ts';
import { decideReview, readManagedReview } from '../catalog/index.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { hasBought } from '../orders/index.ts';

/**
 * Approve or reject a review. Whether its author has bought the product is looked up now, before the review is
 * published.
 * @throws DomainError `not_found`
 */
export async function moderateReview(
  ctx: InTransaction,
  reviewId: string,
  status: 'approved' | 'rejected',
): Promise<Change> {
  const review = found(await readManagedReview(ctx, reviewId), 'review');
  const { email, productId } = review;
  const isVerified = email !== null && (await hasBought(ctx, { email, productId }));
  return decideReview(ctx, reviewId, status, { isVerified });
}
