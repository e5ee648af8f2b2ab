import { indexDocument } from '#jobs/search.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';

/** Take a product off the shelf for good. What was ordered of it can still be released, captured and put back. */
export async function removeProduct(ctx: InTransaction, slug: string): Promise<Change> {
  const now = ctx.clock.now();
  const [removed] = await ctx.tx.execute<{ id: string; version: number }>(sql`
    with product as (
      update products set removed_at = ${now}, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and slug = ${slug} and removed_at is null
      returning id, version),
    variants as (
      update variants set removed_at = ${now}
      where tenant_id = ${ctx.tenant.id} and product_id = (select id from product) and removed_at is null)
    select id, version from product`);
  if (removed) enqueue(ctx, indexDocument, { kind: 'product', ...removed });
  return { subject: `product ${slug}`, action: removed ? 'removed' : 'unchanged', fields: [] };
}
