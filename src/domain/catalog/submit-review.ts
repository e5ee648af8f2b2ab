import { write } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { Email, IntegerLike, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** What a shopper says of a product. The address is for the store alone. */
export const ReviewInput = Type.Object({
  rating: IntegerLike({ minimum: 1, maximum: 5 }, { examples: [5] }),
  title: Omittable(Text(200, { examples: ['A fine bowl'] })),
  body: Omittable(Text(5000, { examples: ['It holds a great deal of fruit.'] })),
  author_name: Omittable(Text(100, { examples: ['Ada'] })),
  email: Omittable(Email),
});
export type ReviewInput = Static<typeof ReviewInput>;

/** Take a review in. It is seen when the store has approved it. Throws not_found for an unknown product. */
export async function submitReview(
  ctx: Context,
  slug: string,
  input: ReviewInput,
): Promise<{ id: string; status: 'pending' }> {
  const added = sql`added as (
    insert into reviews (tenant_id, id, product_id, status, rating, title, body, author_name, email, created_at)
    select p.tenant_id, ${newId('rev')}, p.id, 'pending', ${input.rating}::int, ${input.title ?? null}::text,
      ${input.body ?? null}::text, ${input.author_name ?? 'Anonymous'}::text,
      ${input.email?.trim().toLowerCase() ?? null}::text, ${ctx.clock.now()}::timestamptz
    from products p
    where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug} and p.status = 'published' and p.removed_at is null
    returning id)`;
  const [review] = await write<{ id: string }>(ctx, added, sql`select id from added`);
  if (!review) throw notFound('product');
  return { id: review.id, status: 'pending' };
}
