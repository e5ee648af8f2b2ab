import { lowerCase, type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import {
  anonymisedRows,
  blank,
  byEmail,
  byMention,
  byOrder,
  change,
  countRows,
  type DataSubject,
  mentionPattern,
  newVersion,
  type PersonalData,
  retainedRows,
} from '../personal-data.ts';

/** Only what taxes depend on stays of a shipping address. */
const placeOnly = sql`
  case when shipping_address is not null then jsonb_build_object(
    'name', null, 'street1', null, 'street2', null, 'city', null, 'state', shipping_address -> 'state', 'zip', null,
    'country', shipping_address -> 'country', 'phone', null, 'email', null) end`;

/** The details of attentions may name the shopper; only the codes stay. */
const codesOnly = sql`
  (select coalesce(jsonb_agg(jsonb_set(item, '{detail}', '""') order by number), '[]')
    from jsonb_array_elements(attentions) with ordinality as open(item, number))`;

const mentioning = byMention(sql`metadata::text`);

/** Metadata without this email; what else the storefront stored there may be needed for the order. */
const withoutEmail = (email: string): Sql =>
  sql`regexp_replace(metadata::text collate "und-x-icu", ${mentionPattern(email)}, '…', 'gi')`;

/** An order stays for the accounts, with its items and amounts, but without its customer. */
export const orderPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'holds',
    personal: blank('customer_email'),
    stays: 'What was reserved for an order.',
    ofOrders: 'indexed',
    beside: ['id', 'kind', 'state', 'created_at'],
    of: ({ email, orderIds }) => sql`
      customer_email is not null and (order_id = any(${orderIds}) or ${lowerCase(sql`customer_email`)} = ${email})`,
  }),
  retainedRows({
    table: 'order_items',
    stays: 'What was sold, for the accounts.',
    ofOrders: 'indexed',
    beside: ['order_id', 'position', 'name', 'sku', 'quantity', 'unit_price_cents', 'total_cents'],
    of: byOrder,
  }),
  anonymisedRows({
    table: 'orders',
    stays: 'Amounts, items, country and state, for the accounts and the taxes.',
    ofOrders: 'indexed',
    personal: {
      ...blank('email', 'customer_id', 'gift'),
      attentions: codesOnly,
      shipping_address: placeOnly,
      metadata: sql`'{}'`,
    },
    event: 'order.updated',
    beside: [
      'id',
      'order_number',
      'status',
      'currency',
      'total_cents',
      'refunded_cents',
      'labels',
      'created_at',
      'paid_at',
    ],
    of: ({ orderIds }) => sql`id = any(${orderIds})`,
  }),
  anonymisedRows({
    name: 'gifts_received',
    table: 'orders',
    stays: 'The order of who gave it.',
    personal: blank('gift'),
    event: 'order.updated',
    beside: ['created_at'],
    of: byEmail("gift ->> 'recipient_email'"),
  }),
  // An order without the person's email, or of somebody else.
  {
    name: 'orders_mentioning',
    columns: ['orders.metadata'],
    treatment: 'anonymized',
    stays: 'The order, which is of somebody else or of nobody.',
    find: (ctx, subject) =>
      ctx.tx.execute(sql`
      select created_at, metadata from ${othersMentioning(ctx, subject)} order by created_at`),
    count: (ctx, subject) => countRows(ctx, othersMentioning(ctx, subject)),
    async erase(ctx, subject) {
      if (subject.email === null) return 0;
      return change(
        ctx,
        sql`
        update orders set metadata = ${withoutEmail(subject.email)}::jsonb, ${newVersion(ctx)}
        where tenant_id = ${ctx.tenant.id} and ${mentioning(subject)}`,
        'order.updated',
      );
    },
  },
];

const othersMentioning = ({ tenant }: InTransaction, subject: DataSubject): Sql => sql`
  orders where tenant_id = ${tenant.id} and id <> all(${subject.orderIds}) and ${mentioning(subject)}`;
