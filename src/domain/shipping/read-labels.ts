import { indexesOf, searchPage } from '#src/database/read-page.ts';
import { asPlatform, read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';
import type { ShippingAddress } from '../orders/index.ts';
import { isOfStore } from '../tenants/index.ts';
import type { LabelState } from './label.ts';
import { type LabelRecord, type LabelView, presentLabel } from './present.ts';

/** A label as it is now, for a webhook or a page. */
export async function readLabel(ctx: Context, id: string): Promise<LabelView | undefined> {
  const row = await readOne<LabelRecord>(ctx, sql`${selectLabel} where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  return row && presentLabel(row);
}

/** The labels of these ids that exist, with one statement. */
export async function readLabels(ctx: Context, ids: readonly string[]): Promise<LabelView[]> {
  const rows = await read<LabelRecord>(
    ctx,
    sql`${selectLabel} where tenant_id = ${ctx.tenant.id} and id = any(${ids})`,
  );
  return rows.map(presentLabel);
}

/** The label that an order has, or had last. */
export async function readLabelOfOrder(ctx: Context, orderId: string): Promise<LabelView | undefined> {
  const row = await readOne<LabelRecord>(
    ctx,
    sql`
    ${selectLabel} where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}
    order by (state <> 'voided') desc, id desc limit 1`,
  );
  return row && presentLabel(row);
}

export interface LabelFilter extends PageRequest {
  readonly state?: LabelState | undefined;
  readonly reasonCode?: NonNullable<LabelView['reason_code']> | undefined;
}

/**
 * Labels of a store, the newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listLabels(ctx: Context, { state, reasonCode, ...page }: LabelFilter): Promise<Page<LabelView>> {
  const filter = { state, reasonCode };
  const { rows, cursor } = await searchPage<LabelRecord>(
    ctx,
    {
      name: 'labels',
      columns: ['l.id'],
      descending: true,
      table: sql`labels l`,
      alias: sql`l`,
      filter,
      indexes: indexesOf(filter, { reasonCode: 'l.reason_code', state: 'l.state' }),
    },
    page,
    (more, from) => sql`select ${labelColumns}${more} from ${from} where l.tenant_id = ${ctx.tenant.id}`,
    { replica: true },
  );
  return { rows: rows.map(presentLabel), cursor };
}

/** A label that needs attention or waits for its next attempt, with what an operator needs to decide. */
export interface WaitingLabel extends LabelRecord {
  readonly tenantId: string;
  /** The provider's or carrier's own words. They may repeat parts of the address. */
  readonly reasonDetail: string | null;
  readonly shippingAddress: ShippingAddress | null;
  /** Whether a purchase of it is open. */
  readonly isOpen: boolean;
  /** Whether it is being voided. */
  readonly isBeingVoided: boolean;
}

/** The labels of every store that operators see. */
export interface LabelsForOperators {
  /** Those that need attention. */
  readonly labels: WaitingLabel[];
  /** How many need attention, including those not read. */
  readonly total: number;
  /** Those that wait for their next attempt, the first one first. */
  readonly delayed: WaitingLabel[];
  /** The second labels that no operator has acknowledged. */
  readonly duplicates: DuplicateLabel[];
}

/**
 * The labels of every store that need attention or wait for their next attempt, and second labels: so many of each, and
 * of those that need attention, so many of each reason. Those come first that were not tried for longest, so that what
 * fails again and again hides no others.
 */
export async function labelsForOperators(ctx: PlatformContext, limit: number): Promise<LabelsForOperators> {
  return asPlatform(ctx, 'operators see the labels of every store that need attention or wait', async (ctx) => {
    const labels = await ctx.tx.execute<WaitingLabel>(sql`
      select label.* from (
        select distinct reason_code as reason from labels where state = 'needs_attention') as of cross join lateral (
        select ${waitingColumns}
        from labels l join orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
        where l.state = 'needs_attention' and l.reason_code = of.reason and ${isOfStore(sql`l.tenant_id`)}
        order by l.updated_at, l.id limit ${limit}) as label
      order by label."reasonCode", label."updatedAt", label.id`);
    const [{ total } = { total: 0 }] = await ctx.tx.execute<{ total: number }>(sql`
      select count(*)::int as total from labels
      where state = 'needs_attention' and ${isOfStore(sql`tenant_id`)}`);
    const delayed = await ctx.tx.execute<WaitingLabel>(sql`
      select ${waitingColumns}
      from labels l join orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
      where l.next_attempt_at is not null and ${isOfStore(sql`l.tenant_id`)}
      order by l.next_attempt_at limit ${limit}`);
    const duplicates = await ctx.tx.execute<DuplicateLabel>(sql`
      select u.tenant_id as "tenantId", u.purchase_id as "purchaseId", u.state, u.found_at as "foundAt",
        l.order_id as "orderId", l.order_number as "orderNumber"
      from unused_labels u join labels l on l.tenant_id = u.tenant_id and l.id = u.label_id
      where u.acknowledged_at is null and ${isOfStore(sql`u.tenant_id`)}
      order by u.found_at limit ${limit}`);
    return { labels, total, delayed, duplicates };
  });
}

/** One label with what an operator needs to decide. */
export async function waitingLabel(ctx: Context, id: string): Promise<WaitingLabel | undefined> {
  return readOne<WaitingLabel>(
    ctx,
    sql`
    select ${waitingColumns}
    from labels l join orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
    where l.tenant_id = ${ctx.tenant.id} and l.id = ${id}`,
  );
}

export interface DuplicateLabel {
  readonly tenantId: string;
  readonly purchaseId: string;
  readonly state: 'found' | 'duplicate_voided' | 'refund_refused';
  readonly foundAt: Date;
  readonly orderId: string;
  readonly orderNumber: string;
}

const labelColumns = sql`
  l.id, l.order_id as "orderId", l.order_number as "orderNumber", l.state, l.reason_code as "reasonCode", l.rate,
  l.tracking_number as "trackingNumber", l.tracking_url as "trackingUrl",
  case when l.state = 'purchased' and l.voiding_since is null then l.label_url end as "labelUrl",
  l.failed_attempts as "failedAttempts", l.next_attempt_at as "nextAttemptAt", l.version, l.created_at as "createdAt",
  l.updated_at as "updatedAt", l.purchased_at as "purchasedAt"`;

const waitingColumns = sql`
  l.tenant_id as "tenantId", l.reason_detail as "reasonDetail", o.shipping_address as "shippingAddress",
  l.buying_since is not null as "isOpen", l.voiding_since is not null as "isBeingVoided", ${labelColumns}`;

const selectLabel = sql`select ${labelColumns} from labels l`;
