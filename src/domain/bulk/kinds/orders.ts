import { normaliseEmail } from '#src/lib/email-address.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { closed } from '#src/lib/schema.ts';
import { PastOrderInput, savePastOrders } from '../../orders/index.ts';
import { defineImportKind, type Row, rejectExisting, type TableFormat } from '../import-kind.ts';
import { definedFields, filledCells, filledNumbers, isObject, withoutFields } from './cells.ts';
import { flatTable } from './flat-table.ts';

const ofOrder = flatTable({
  texts: [
    'order_number',
    'email',
    'created_at',
    'status',
    'fulfillment_status',
    'currency',
    'carrier',
    'tracking_number',
  ],
  numbers: ['discount_cents', 'shipping_cents', 'tax_cents', 'total_cents', 'refunded_cents'],
});
const ofAddress = ['name', 'street1', 'street2', 'city', 'state', 'zip', 'country', 'phone'];
const ofItem = ['sku', 'product_slug', 'name', 'quantity', 'unit_price_cents', 'item_discount_cents'];

/** What an export has besides, of orders and of their items. */
const notRead = [
  'order_id',
  'paid_at',
  'payment_status',
  'gift_card_cents',
  'promo_code',
  'partner_code',
  'imported_at',
];
const notReadOfItem = ['item_total_cents'];

/** A row for each item. What describes the order stands in its first row, or in all of them, as exports write it. */
const ordersTable: TableFormat = {
  required: ['order_number', 'created_at', 'name', 'quantity', 'unit_price_cents'],
  optional: [
    ...ofOrder.optional,
    'subtotal_cents',
    ...ofItem,
    ...ofAddress.map((field) => `shipping_${field}`),
    ...notRead,
    ...notReadOfItem,
  ],
  otherColumns: 'rejected',
  identifiers: ['order_number', 'tracking_number', 'shipping_phone', 'sku'],
  groupedBy: 'order_number',
  columnsOf: {
    ...Object.fromEntries(ofAddress.map((field) => [`shipping_address/${field}`, `shipping_${field}`])),
    'items/discount_cents': 'item_discount_cents',
  },
  valueOf(rows, ctx) {
    const [first = {}] = rows;
    checkEmails(rows);
    const address = ofAddress.flatMap((field) => {
      const cell = first[`shipping_${field}`];
      return cell ? [[field, cell]] : [];
    });
    const order = definedFields({
      ...ofOrder.valueOf([first], ctx),
      shipping_address: address.length > 0 ? Object.fromEntries(address) : undefined,
      items: rows.map(itemOf),
    });
    return withoutItemDiscounts(order, first['subtotal_cents']);
  },
};

/**
 * The discount of an order is beside those of its items, unless its subtotal is what these cost before them: then, as in
 * an export of orders that were made here, it contains them.
 */
function withoutItemDiscounts(order: Record<string, unknown>, subtotal: unknown): Record<string, unknown> {
  const { discount_cents: discount, items } = order;
  if (typeof discount !== 'number' || !Array.isArray(items)) return order;
  const sumOf = (amountOf: (item: Record<string, unknown>) => number) =>
    items.reduce<number>((sum, item) => sum + (isObject(item) ? amountOf(item) : 0), 0);
  const price = sumOf((item) => Number(item['unit_price_cents']) * Number(item['quantity']));
  const ofItems = sumOf((item) => Number(item['discount_cents'] ?? 0));
  const contains = ofItems > 0 && Number(subtotal) === price && discount >= ofItems;
  return contains ? { ...order, discount_cents: discount - ofItems } : order;
}

/**
 * Rows without a number belong to the order above them: another email shows that they do not.
 * @throws DomainError `invalid_request`
 */
function checkEmails([first, ...others]: readonly Row[]): void {
  const emailOf = (row: Row | undefined) => normaliseEmail(row?.['email'] ?? '');
  if (others.every((row) => !row['email'] || emailOf(row) === emailOf(first))) return;
  throw invalidRequest('Rows of one order have different emails.', {
    path: '/email',
    code: 'different',
    detail: 'must be the same in all rows of an order. A row without an order_number belongs to the order above it',
  });
}

function itemOf(row: Row): Record<string, unknown> {
  const { item_discount_cents: discount, ...numbers } = filledNumbers(row, [
    'quantity',
    'unit_price_cents',
    'item_discount_cents',
  ]);
  const texts = filledCells(row, ['sku', 'product_slug', 'name']);
  return definedFields({ ...texts, ...numbers, discount_cents: discount });
}

/** An item of an exported line has its discount under the name of its column, and no empty texts. */
function itemOfLine(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { item_discount_cents: discount, ...fields } = withoutFields(item, notReadOfItem);
  const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  return definedFields({ discount_cents: discount, ...filled });
}

/** Orders that were made elsewhere, for the store's history and its customers'. */
export const importOrders = defineImportKind({
  name: 'orders',
  area: 'orders',
  tables: { csv: ordersTable },
  schema: closed(PastOrderInput),
  readLine(line) {
    const {
      items,
      shipping_address: address,
      subtotal_cents: subtotal,
      ...fields
    } = withoutFields(line, [...notRead, 'labels', 'metadata']);
    const order = definedFields({
      ...fields,
      items: Array.isArray(items) ? items.map(itemOfLine) : items,
      shipping_address: isObject(address) ? withoutFields(address, ['email']) : address,
    });
    return withoutItemDiscounts(order, subtotal);
  },
  auditedAs: 'order',
  save: async (ctx, orders, mode) => rejectExisting(await savePastOrders(ctx, orders), mode),
});
