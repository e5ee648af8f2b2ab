import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';
import { asPlatform, read, readOne } from '../database.ts';
import type { ShippingAddress } from '../orders/index.ts';
import type { LabelState } from './label.ts';
import { type LabelRecord, type LabelView, presentLabel } from './present.ts';

/** A label as it is now, for a webhook or a page. */
export async function readLabel(ctx: Context, id: string): Promise<LabelView | undefined> {
  const row = await readOne<LabelRecord>(ctx, sql`${selectLabel} where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  return row && presentLabel(row);
}

/** The labels of these ids that there are, with one statement. */
export async function readLabels(ctx: Context, ids: readonly string[]): Promise<LabelView[]> {
  const rows = await read<LabelRecord>(ctx, sql`${selectLabel} where tenant_id = ${ctx.tenant.id} and id = any(${ids})`);
  return rows.map(presentLabel);
}

/** The label that an order has, or had last. */
export async function readLabelOfOrder(ctx: Context, orderId: string): Promise<LabelView | undefined> {
  const row = await readOne<LabelRecord>(ctx, sql`
    ${selectLabel} where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}
    order by (state <> 'voided') desc, id desc limit 1`);
  return row && presentLabel(row);
}

export interface LabelPage {
  readonly state?: LabelState | undefined;
  readonly reasonCode?: string | undefined;
  readonly limit: number;
  /** The id of the last label of the page before. */
  readonly after?: string | undefined;
}

/** Labels of a store, newest first: ids sort by age, so they are the keyset. */
export async function listLabels(ctx: Context, { state, reasonCode, limit, after }: LabelPage): Promise<LabelView[]> {
  const ofState: Sql = state ? sql`and state = ${state}` : sql``;
  const ofReason: Sql = reasonCode ? sql`and reason_code = ${reasonCode}` : sql``;
  const older: Sql = after ? sql`and id < ${after}` : sql``;
  const rows = await read<LabelRecord>(ctx, sql`
    ${selectLabel} where tenant_id = ${ctx.tenant.id} ${ofState} ${ofReason} ${older} order by id desc limit ${limit}`, { replica: true });
  return rows.map(presentLabel);
}

/** A label that waits for a person, with what he needs to decide. */
export interface WaitingLabel extends LabelRecord {
  readonly tenantId: string;
  /** The provider's or carrier's own words. They may repeat parts of the address. */
  readonly reasonDetail: string | null;
  readonly shippingAddress: ShippingAddress | null;
  /** Whether a purchase of it is open. */
  readonly isOpen: boolean;
}

/** What operators see of every store: labels that wait for a person, and orders that were sent two labels. */
export async function labelsNeedingAttention(ctx: PlatformContext, limit: number): Promise<{ labels: WaitingLabel[]; total: number; duplicates: DuplicateLabel[] }> {
  return asPlatform(ctx, 'operators see the labels of every store that need attention', async (ctx) => {
    const labels = await ctx.tx.run<WaitingLabel>(sql`
      select l.tenant_id as "tenantId", l.reason_detail as "reasonDetail", o.shipping_address as "shippingAddress",
        l.buying_since is not null as "isOpen", ${labelColumns}
      from labels l join orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
      where l.state = 'needs_attention' order by l.reason_code, l.id limit ${limit}`);
    const [{ total } = { total: 0 }] = await ctx.tx.run<{ total: number }>(sql`
      select count(*)::int as total from labels where state = 'needs_attention'`);
    const duplicates = await ctx.tx.run<DuplicateLabel>(sql`
      select d.tenant_id as "tenantId", d.purchase_id as "purchaseId", d.state, d.found_at as "foundAt",
        l.order_id as "orderId", l.order_number as "orderNumber"
      from duplicate_labels d join labels l on l.tenant_id = d.tenant_id and l.id = d.label_id
      where d.acknowledged_at is null order by d.found_at limit ${limit}`);
    return { labels, total, duplicates };
  });
}

/** One label that waits for a person. */
export async function waitingLabel(ctx: Context, id: string): Promise<WaitingLabel | undefined> {
  return readOne<WaitingLabel>(ctx, sql`
    select l.tenant_id as "tenantId", l.reason_detail as "reasonDetail", o.shipping_address as "shippingAddress",
      l.buying_since is not null as "isOpen", ${labelColumns}
    from labels l join orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
    where l.tenant_id = ${ctx.tenant.id} and l.id = ${id}`);
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
  l.tracking_number as "trackingNumber", l.tracking_url as "trackingUrl", l.label_url as "labelUrl", l.tries,
  l.next_attempt_at as "nextAttemptAt", l.version, l.created_at as "createdAt", l.updated_at as "updatedAt",
  l.purchased_at as "purchasedAt"`;

const selectLabel = sql`select ${labelColumns} from labels l`;
