import { notifyRestock as notifyRestockJob } from '#jobs/leads.ts';
import { completeJob } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { enqueueMail, type MailData } from '../mail/index.ts';

/** How many are notified in one transaction; the others have a promise of their own. */
const batchMax = 100;

/**
 * Tell who waits for a variant, or for any of its product, that it can be had again: each person once, for the rows
 * are marked in the transaction that promises the mails. When it is gone again, they go on waiting.
 */
export async function notifyRestock(
  ctx: Context,
  { variantId, movementId, number }: { variantId: string; movementId: string; number: number },
): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const item = await findAvailable(ctx, variantId);
    if (!item) return;
    const { productId, ...data } = item;
    const { notified, reached } = await markNotified(ctx, productId, variantId);
    for (const { id, email } of notified) await enqueueMail(ctx, { kind: 'restock', to: email, data, subjectId: id });
    if (reached === batchMax) enqueue(ctx, notifyRestockJob, { variantId, movementId, number: number + 1 });
  });
}

type RestockedItem = MailData['restock'] & { readonly productId: string };

/** What a mail says of the variant; `undefined` when it cannot be had at this moment. */
async function findAvailable(ctx: InTransaction, variantId: string): Promise<RestockedItem | undefined> {
  const [item] = await ctx.tx.execute<RestockedItem>(sql`
    select p.id as "productId", p.name as product_name, '/products/' || p.slug as path,
      p.images -> 0 ->> 'url' as image_url,
      case when exists (
        select from variants other where other.tenant_id = v.tenant_id and other.product_id = v.product_id
          and other.id <> v.id and other.removed_at is null) then v.name end as variant_name
    from variants v join products p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${ctx.tenant.id} and v.id = ${variantId} and v.removed_at is null
      and (v.stock is null or v.stock > v.stock_held) and p.status = 'published' and p.removed_at is null`);
  return item;
}

interface Notified {
  readonly notified: readonly { readonly id: string; readonly email: string }[];
  /** How many people were looked at: another run may have notified some of them meanwhile. */
  readonly reached: number;
}

/** Mark the first people who wait. Whoever waits for the product and for its variant is one person. */
async function markNotified(ctx: InTransaction, productId: string, variantId: string): Promise<Notified> {
  const waits = sql`tenant_id = ${ctx.tenant.id} and product_id = ${productId}
    and (variant_id is null or variant_id = ${variantId}) and notified_at is null`;
  const [row] = await ctx.tx.execute<Notified>(sql`
    with people as (select distinct email from waitlist_entries where ${waits} order by email limit ${batchMax}),
    waiting as (
      select id from waitlist_entries where ${waits} and email in (select email from people) order by id for update),
    marked as (
      update waitlist_entries w set notified_at = ${ctx.clock.now()} from waiting
      where w.tenant_id = ${ctx.tenant.id} and w.id = waiting.id
      returning w.id, w.email),
    notified as (select min(id) as id, email from marked group by email)
    select (select coalesce(json_agg(notified), '[]') from notified) as notified, (select count(*)::int from people) as reached`);
  return row ?? { notified: [], reached: 0 };
}
