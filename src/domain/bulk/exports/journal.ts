import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import { issuedCents } from '../../promotions/index.ts';
import { type ExportKind, type ExportRange, inRange } from '../export-kind.ts';

/**
 * The entries of the store's accounts. Of an order, `payments` is what the payment provider collected, or
 * `payments_elsewhere` what was paid outside of it, and the sum of its other entries: sales less discounts and what
 * gift cards paid, with shipping and tax. `adjustments` is what a payment differed by, such as what a gift card should
 * have paid that was spent by then. Days are those of UTC.
 */
const entries = ({ tenant }: Context, range: ExportRange): Sql => sql`
  select e.at, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD') as day, e.account, e.reference, e.currency, e.amount_cents
  from (
    select o.paid_at as at, each.account, o.order_number as reference, o.currency, each.amount_cents
    from orders o cross join lateral (
      select coalesce(sum(amount_cents), 0)::int8 as cents from gift_card_redemptions
      where tenant_id = o.tenant_id and order_id = o.id) as redeemed
    cross join lateral (values
      ('sales', o.subtotal_cents),
      ('discounts', -o.discount_cents),
      ('shipping', o.shipping_cents),
      ('tax', o.tax_cents),
      ('gift_cards_redeemed', -redeemed.cents),
      ('adjustments', o.total_cents - o.subtotal_cents + o.discount_cents - o.shipping_cents - o.tax_cents
        + redeemed.cents),
      (case when o.payment_id is null then 'payments_elsewhere' else 'payments' end, o.total_cents)
    ) as each(account, amount_cents)
    where o.tenant_id = ${tenant.id} and o.paid_at is not null and o.imported_at is null
    union all
    select r.at, case r.cause when 'dispute' then 'disputes' else 'refunds' end, o.order_number, o.currency,
      -r.amount_cents
    from payment_reversals r join orders o on o.tenant_id = r.tenant_id and o.id = r.order_id
    where r.tenant_id = ${tenant.id}
    union all
    select r.at, 'gift_cards_returned', o.order_number, o.currency, r.amount_cents
    from gift_card_returns r join orders o on o.tenant_id = r.tenant_id and o.id = r.order_id
    where r.tenant_id = ${tenant.id}
    union all
    select g.created_at, 'gift_cards_issued', g.id, g.currency, ${issuedCents} - (
        select coalesce(sum(amount_cents), 0)::int8 from gift_card_adjustments
        where tenant_id = g.tenant_id and gift_card_id = g.id)
    from gift_cards g where g.tenant_id = ${tenant.id}
    union all
    select a.at, 'gift_cards_issued', g.id, g.currency, a.amount_cents
    from gift_card_adjustments a
    join gift_cards g on g.tenant_id = ${tenant.id} and g.id = a.gift_card_id
    where a.tenant_id = ${tenant.id}
    union all
    select l.purchased_at, 'label_costs', l.order_number, l.rate ->> 'currency', -l.amount_cents
    from labels l where l.tenant_id = ${tenant.id} and l.purchased_at is not null
    union all
    select each.at, 'label_refunds', l.order_number, l.rate ->> 'currency', each.amount_cents
    from labels l cross join lateral (values
      (l.voided_at, l.amount_cents), (l.refund_rejected_at, -l.amount_cents)) as each(at, amount_cents)
    where l.tenant_id = ${tenant.id} and l.purchased_at is not null and l.voided_at is not null
      and each.at is not null
    union all
    select each.at, each.account, l.order_number, u.currency, each.amount_cents
    from unused_labels u join labels l on l.tenant_id = u.tenant_id and l.id = u.label_id cross join lateral (values
      (u.charged_at, 'label_costs', -u.amount_cents),
      (u.refunded_at, 'label_refunds', u.amount_cents),
      (case when u.refunded_at is not null then u.refund_rejected_at end, 'label_refunds', -u.amount_cents)
    ) as each(at, account, amount_cents)
    where u.tenant_id = ${tenant.id} and each.at is not null
  ) as e
  where e.amount_cents <> 0 and ${inRange('e.at', range)}`;

/** Each entry of the accounts. */
export const exportJournal: ExportKind = {
  name: 'journal',
  area: 'analytics',
  columns: ['day', 'at', 'account', 'reference', 'currency', 'amount_cents'],
  select: (ctx, range) => sql`
    select day, at, account, reference, currency, amount_cents from (${entries(ctx, range)}) as entry
    order by at, reference, account`,
};

/** The sums of the entries by day, account and currency. */
export const exportJournalDays: ExportKind = {
  name: 'journal_days',
  area: 'analytics',
  columns: ['day', 'account', 'currency', 'entries', 'amount_cents'],
  select: (ctx, range) => sql`
    select day, account, currency, count(*)::int8 as entries, sum(amount_cents)::int8 as amount_cents
    from (${entries(ctx, range)}) as entry group by day, account, currency order by day, account, currency`,
};
