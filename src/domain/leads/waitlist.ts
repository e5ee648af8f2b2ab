import { notifyRestock as notifyRestockJob } from '#jobs/leads.ts';
import { readPage } from '#src/database/read-page.ts';
import { completeJob, write } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { minutes } from '#src/lib/duration.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { enqueueMail, type MailData } from '../mail/index.ts';
import { upsertLead } from './capture-lead.ts';
import type { WaitlistInput } from './lead-input.ts';

/**
 * Join the waitlist of a variant, or of any variant of a product. Joining twice has no effect, until one was notified
 * and joins again.
 *
 * @returns the lead, and whether its place on the list is new: an email then follows
 * @throws DomainError `invalid_request` when neither product nor variant is named, `unknown_product` when what is
 *   named is not on sale here
 */
export async function joinWaitlist(
  ctx: Context,
  { email, product_slug: slug, variant_id: variantId }: WaitlistInput,
): Promise<{ id: string; isNew: boolean }> {
  if (!slug && !variantId) throw waitlistError('invalid_request', '/product_slug', 'is required without a variant_id');
  const wanted = sql`
    select p.id as product_id, v.id as variant_id
    from products p
    left join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id and v.id = ${variantId ?? null}
      and v.removed_at is null
    where p.tenant_id = ${ctx.tenant.id} and p.status = 'published' and p.removed_at is null
      and ${slug ? sql`p.slug = ${slug}` : sql`true`} and ${variantId ? sql`v.id is not null` : sql`true`}`;
  const [lead] = await write<{ id: string; isNew: boolean }>(
    ctx,
    sql`
    wanted as (${wanted}),
    lead as (${upsertLead(ctx, { email, source: 'waitlist' }, sql`wanted`)}),
    entry as (
      insert into waitlist_entries (tenant_id, id, lead_id, email, product_id, variant_id, created_at)
      select ${ctx.tenant.id}, ${newId('wait')}, lead.id, ${normaliseEmail(email)}, wanted.product_id,
        wanted.variant_id, ${ctx.clock.now()}::timestamptz
      from lead, wanted
      on conflict (tenant_id, product_id, email, variant_id) where notified_at is null do nothing
      returning id)`,
    sql`
    select id, exists (select from entry) as "isNew" from lead`,
  );
  if (!lead) throw waitlistError('unknown_product', variantId ? '/variant_id' : '/product_slug', 'is not on sale here');
  return lead;
}

function waitlistError(code: 'invalid_request' | 'unknown_product', path: string, detail: string): DomainError {
  const message =
    code === 'unknown_product' ? 'There is no such product for sale.' : 'A product or a variant must be named.';
  return new DomainError('invalid', code, message, { extensions: { errors: [{ path, code, detail }] } });
}

/** How many shoppers are notified per transaction. The next batch is a job of its own. */
const batchMax = 100;

/**
 * Email the waitlist of a variant, and of its product, that it is back in stock. Each shopper is notified once, because
 * the entries are marked in the transaction that enqueues the emails. If it is sold out again, they keep waiting, and so
 * they do until a closed store is opened again.
 */
export async function notifyRestock(
  ctx: Context,
  { variantId, movementId, number }: { variantId: string; movementId: string; number: number },
): Promise<void> {
  if (ctx.tenant.closedAt) return;
  await completeJob(ctx, async (ctx) => {
    const item = await findAvailable(ctx, variantId);
    if (!item) return;
    const { productId, ...data } = item;
    const { notified, reached } = await markNotified(ctx, productId, variantId);
    for (const { id, email } of notified) enqueueMail(ctx, { kind: 'restock', to: email, data, subjectId: id });
    if (reached === batchMax) enqueue(ctx, notifyRestockJob, { variantId, movementId, number: number + 1 });
  });
}

/** Email the waitlists of products that were published: they may have been restocked while nobody could see them. */
export async function notifyPublished(
  ctx: Context,
  { productIds, version }: { productIds: readonly string[]; version: number },
): Promise<void> {
  await completeJob(ctx, (ctx) =>
    enqueueRestocks(ctx, sql`v.product_id = any(${productIds})`, `${productIds[0]}.${version}`),
  );
}

/** By then every process knows that the store is open. */
const reopenedMs = minutes(1);

/** Email the waitlists of a store that is opened again: a restock while it was closed notified nobody. */
export async function notifyReopened(ctx: InTransaction): Promise<void> {
  const isInStock = sql`(v.stock is null or v.stock > v.stock_held)`;
  await enqueueRestocks(ctx, isInStock, newId('mov'), fromNow(ctx.clock, reopenedMs));
}

/** Enqueue what a restock does for each variant `v` that is awaited, among those for which a condition holds. */
async function enqueueRestocks(ctx: InTransaction, isAmong: Sql, movementId: string, dueAt?: Date): Promise<void> {
  const awaited = await ctx.tx.execute<{ variantId: string }>(sql`
    select v.id as "variantId" from variants v
    where v.tenant_id = ${ctx.tenant.id} and v.removed_at is null and ${isAmong} and exists (
      select from waitlist_entries e
      where e.tenant_id = v.tenant_id and e.product_id = v.product_id and e.notified_at is null
        and (e.variant_id is null or e.variant_id = v.id))`);
  for (const { variantId } of awaited)
    enqueue(ctx, notifyRestockJob, { variantId, movementId, number: 1 }, dueAt && { dueAt });
}

type RestockedItem = MailData['restock'] & { readonly productId: string };

/** The variant's data for the email. @returns `undefined` when it is not available at the moment */
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
  /** How many shoppers were selected; another attempt may have notified some of them meanwhile. */
  readonly reached: number;
}

/** Mark the next batch as notified. A shopper who waits for both the product and its variant counts once. */
async function markNotified(ctx: InTransaction, productId: string, variantId: string): Promise<Notified> {
  const waits = sql`tenant_id = ${ctx.tenant.id} and product_id = ${productId}
    and (variant_id is null or variant_id = ${variantId}) and notified_at is null`;
  const [row] = await ctx.tx.execute<Notified>(sql`
    with batch as (select distinct email from waitlist_entries where ${waits} order by email limit ${batchMax}),
    waiting as (
      select id from waitlist_entries where ${waits} and email in (select email from batch) order by id for update),
    marked as (
      update waitlist_entries w set notified_at = ${ctx.clock.now()} from waiting
      where w.tenant_id = ${ctx.tenant.id} and w.id = waiting.id
      returning w.id, w.email),
    notified as (select min(id) as id, email from marked group by email)
    select (select coalesce(json_agg(notified), '[]') from notified) as notified,
      (select count(*)::int from batch) as reached`);
  return row ?? { notified: [], reached: 0 };
}

/** A shopper who waits for a product, or was notified that it is back. */
export type WaitlistEntry = RowOf<typeof WaitlistEntryView>;

/**
 * The entries of the waitlists, newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listWaitlist(ctx: Context, page: PageRequest): Promise<Page<WaitlistEntry>> {
  return readPage<WaitlistEntry>(
    ctx,
    { name: 'waitlist', columns: ['w.id'], descending: true },
    page,
    (position) => sql`
    select w.id, w.email, p.slug as "productSlug", p.name as "productName", v.sku, w.created_at as "createdAt",
      w.notified_at as "notifiedAt"${position}
    from waitlist_entries w
    join products p on p.tenant_id = w.tenant_id and p.id = w.product_id
    left join variants v on v.tenant_id = w.tenant_id and v.id = w.variant_id
    where w.tenant_id = ${ctx.tenant.id}`,
    { replica: true },
  );
}

/** An entry of a waitlist as the store's owner sees it. */
export const WaitlistEntryView = Type.Object(
  {
    id: Id('wait'),
    email: Email,
    product_slug: Type.String({ examples: ['oak-bowl'] }),
    product_name: Type.String({ examples: ['Oak bowl'] }),
    /** Null where any variant will do. */
    sku: Nullable(Type.String({ examples: ['BOWL-L'] })),
    created_at: Timestamp,
    notified_at: Nullable(Timestamp),
  },
  { title: 'WaitlistEntry' },
);

export function presentWaitlistEntry(entry: WaitlistEntry): Static<typeof WaitlistEntryView> {
  return presentAs(WaitlistEntryView, entry);
}
