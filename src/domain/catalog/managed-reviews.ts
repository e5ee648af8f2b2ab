import { read, readOne } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

export const reviewStatuses = ['pending', 'approved', 'rejected'] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** A review as its store sees it. */
export interface ManagedReview {
  readonly id: string;
  readonly productId: string;
  readonly productSlug: string;
  readonly status: ReviewStatus;
  readonly rating: number;
  readonly title: string | null;
  readonly body: string | null;
  readonly authorName: string;
  readonly email: string | null;
  readonly verifiedPurchase: boolean;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
}

/**
 * The reviews of the store, the newest first, page by page; of one status where it is named.
 * @throws DomainError `invalid_cursor`
 */
export async function listManagedReviews(
  ctx: Context,
  { status, cursor, limit = 20 }: PageRequest & { status?: ReviewStatus | undefined },
): Promise<Page<ManagedReview>> {
  const list = keyset(ctx, 'managed reviews', { columns: ['r.id'], descending: true }, cursor);
  const ofStatus = status === undefined ? sql`` : sql` and r.status = ${status}`;
  const rows = await read<ManagedReview & { position: Position }>(
    ctx,
    sql`
    ${selectReviews(ctx, sql`, ${list.position} as position`)}${ofStatus} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}

/** One of them by its id; `undefined` when there is none. */
export async function readManagedReview(ctx: Context, id: string): Promise<ManagedReview | undefined> {
  return readOne<ManagedReview>(ctx, sql`${selectReviews(ctx)} and r.id = ${id}`);
}

const selectReviews = (ctx: Context, more: Sql = sql``): Sql => sql`
  select r.id, r.product_id as "productId", p.slug as "productSlug", r.status, r.rating, r.title, r.body, r.author_name as "authorName", r.email,
    r.verified_purchase as "verifiedPurchase", r.created_at as "createdAt", r.decided_at as "decidedAt"${more}
  from reviews r join products p on p.tenant_id = ${ctx.tenant.id} and p.id = r.product_id
  where r.tenant_id = ${ctx.tenant.id}`;
