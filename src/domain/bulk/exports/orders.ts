import { type Sql, sql } from '#src/lib/sql.ts';
import { type ExportKind, type ExportRange, inRange } from '../export-kind.ts';

const orderColumns = [
  'order_number',
  'order_id',
  'created_at',
  'paid_at',
  'status',
  'payment_status',
  'fulfillment_status',
  'currency',
  'email',
  'subtotal_cents',
  'discount_cents',
  'gift_card_cents',
  'shipping_cents',
  'tax_cents',
  'total_cents',
  'refunded_cents',
  'promo_code',
  'partner_code',
  'imported_at',
] as const;
const itemColumns = [
  'product_slug',
  'sku',
  'name',
  'quantity',
  'unit_price_cents',
  'item_discount_cents',
  'item_total_cents',
];

const ofOrder = sql`o.order_number, o.id as order_id, o.created_at, o.paid_at, o.status, o.payment_status,
  o.fulfillment_status, o.currency, o.email, o.subtotal_cents, o.discount_cents, o.gift_card_cents, o.shipping_cents,
  o.tax_cents, o.total_cents, o.refunded_cents, o.promo_code, o.partner_code, o.imported_at`;
const ofItem = sql`i.product_slug, i.sku, i.name, i.quantity, i.unit_price_cents, i.discount_cents as item_discount_cents,
  i.total_cents as item_total_cents`;

const orders = (tenantId: string, range: ExportRange): Sql =>
  sql`o.tenant_id = ${tenantId} and ${inRange('o.created_at', range)}`;

/** A row for each item, with its order's amounts in each; lines of JSON are orders with their items. */
export const exportOrders: ExportKind = {
  name: 'orders',
  area: 'orders',
  columns: [...orderColumns, ...itemColumns],
  select: ({ tenant }, range) => sql`
    select ${ofOrder}, ${ofItem}
    from orders o join order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
    where ${orders(tenant.id, range)} order by o.id, i.position`,
  selectObjects: ({ tenant }, range) => sql`
    select ${ofOrder}, o.shipping_address, o.labels, o.metadata, (
      select json_agg(item order by position) from (
        select row_to_json(each) as item, i.position
        from order_items i cross join lateral (select ${ofItem}) as each
        where i.tenant_id = o.tenant_id and i.order_id = o.id) as all_of) as items
    from orders o where ${orders(tenant.id, range)} order by o.id`,
};

export const exportReturns: ExportKind = {
  name: 'returns',
  area: 'returns',
  columns: [
    'return_id',
    'order_number',
    'email',
    'status',
    'note',
    'created_at',
    'updated_at',
    'name',
    'quantity',
    'reason',
  ],
  select: ({ tenant }, range) => sql`
    select r.id as return_id, r.order_number, r.email, r.status, r.note, r.created_at, r.updated_at, i.name, i.quantity,
      i.reason
    from returns r join return_items i on i.tenant_id = r.tenant_id and i.return_id = r.id
    where r.tenant_id = ${tenant.id} and ${inRange('r.created_at', range)} order by r.id, i.position`,
};
