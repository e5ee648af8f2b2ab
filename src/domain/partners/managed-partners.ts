import { readPage } from '#src/database/read-page.ts';
import { readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { formatDuration } from '#src/lib/duration.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Cents, Duration, Id, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normalisePartnerCode, type PartnerTerms } from './partner.ts';

/** A partner as the store's owner sees it, with the sales attributed to them. */
export interface ManagedPartner extends PartnerTerms {
  readonly orders: number;
  readonly totalCents: number;
  readonly commissionCents: number;
  readonly version: number;
  readonly createdAt: Date;
}

/**
 * The partners of the store, newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listPartners(ctx: Context, page: PageRequest): Promise<Page<ManagedPartner>> {
  return readPage<ManagedPartner>(
    ctx,
    { name: 'partners', columns: ['p.id'], descending: true },
    page,
    (position) => selectPartners(ctx, position),
    { replica: true },
  );
}

/** The partner with this code, in any spelling. */
export async function readPartner(ctx: Context, code: string): Promise<ManagedPartner | undefined> {
  return readOne<ManagedPartner>(ctx, sql`${selectPartners(ctx)} and p.code = ${normalisePartnerCode(code)}`);
}

const selectPartners = (ctx: Context, more: Sql = sql``): Sql => sql`
  select p.id, p.code, p.name, p.commission_percent::float8 as "commissionPercent",
    p.discount_percent::float8 as "discountPercent", p.window_ms as "windowMs", p.version, p.created_at as "createdAt",
    sales.orders, sales."totalCents", sales."commissionCents"${more}
  from partners p, lateral (
    select count(*)::int as orders, coalesce(sum(a.total_cents), 0)::int8 as "totalCents",
      coalesce(sum(a.commission_cents), 0)::int8 as "commissionCents"
    from (${attributedSales(ctx)}) as a where a.partner_id = p.id) as sales
  where p.tenant_id = ${ctx.tenant.id} and p.removed_at is null`;

/**
 * A query for the orders that are attributed to partners: `order_id`, `partner_id` and `attributed_at`, with `total_cents`
 * and `commission_cents` without what was refunded.
 */
export const attributedSales = (ctx: Context): Sql => sql`
  select a.order_id, a.partner_id, a.attributed_at, a.retained_total_cents as total_cents,
    a.retained_commission_cents as commission_cents
  from partner_attributions a where a.tenant_id = ${ctx.tenant.id}`;

const amount = Type.Integer({ examples: [38_000] });

export const ManagedPartnerView = Type.Object(
  {
    id: Id('part'),
    code: Type.String({ examples: ['maker'] }),
    name: Type.String({ examples: ['The Maker Blog'] }),
    commission_percent: Type.Number({ examples: [8] }),
    discount_percent: Type.Number({ examples: [5] }),
    window: Duration,
    /** The number of attributed orders, their total without what was refunded, and the commission on it. */
    orders: Type.Integer({ examples: [10] }),
    total_cents: amount,
    commission_cents: Cents,
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'ManagedPartner' },
);

export function presentManagedPartner(partner: ManagedPartner): Static<typeof ManagedPartnerView> {
  return presentAs(ManagedPartnerView, { ...partner, window: formatDuration(partner.windowMs) });
}
