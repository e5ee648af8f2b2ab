import { type Sql, sql } from '#src/lib/sql.ts';
import { subscriptionAddress } from '../../subscriptions/index.ts';
import { type ExportKind, type ExportRange, inRange } from '../export-kind.ts';

export const exportCustomers: ExportKind = {
  name: 'customers',
  area: 'customers',
  columns: ['id', 'email', 'name', 'accepts_marketing', 'created_at'],
  select: ({ tenant }, range) => sql`
    select c.id, c.email, c.name, c.accepts_marketing, c.created_at from customers c
    where c.tenant_id = ${tenant.id} and ${inRange('c.created_at', range)} order by c.id`,
};

const ofLead = sql`l.id, l.email, l.source, l.name, l.consent, l.consent_at, l.created_at, l.updated_at`;

/** Lines of JSON have the answers to a quiz, too. */
export const exportLeads: ExportKind = {
  name: 'leads',
  area: 'customers',
  columns: ['id', 'email', 'source', 'name', 'consent', 'consent_at', 'created_at', 'updated_at'],
  select: ({ tenant }, range) => sql`
    select ${ofLead} from leads l
    where l.tenant_id = ${tenant.id} and ${inRange('l.created_at', range)} order by l.created_at, l.id`,
  selectObjects: ({ tenant }, range) => sql`
    select ${ofLead}, l.answers from leads l
    where l.tenant_id = ${tenant.id} and ${inRange('l.created_at', range)} order by l.created_at, l.id`,
};

export const exportWaitlist: ExportKind = {
  name: 'waitlist',
  area: 'customers',
  columns: ['id', 'email', 'product_slug', 'variant_id', 'sku', 'created_at', 'notified_at'],
  select: ({ tenant }, range) => sql`
    select w.id, w.email, p.slug as product_slug, w.variant_id, v.sku, w.created_at, w.notified_at
    from waitlist_entries w
      join products p on p.tenant_id = w.tenant_id and p.id = w.product_id
      left join variants v on v.tenant_id = w.tenant_id and v.id = w.variant_id
    where w.tenant_id = ${tenant.id} and ${inRange('w.created_at', range)} order by w.id`,
};

const ofSubscription = sql`s.id, s.email, s.status, p.slug as product_slug, v.sku, s.interval, s.quantity,
  s.unit_price_cents, s.currency, s.current_period_end, s.cancel_at_period_end, s.canceled_at, s.created_at`;

const subscriptions = (tenantId: string, range: ExportRange): Sql => sql`
  from subscriptions s
    left join products p on p.tenant_id = s.tenant_id and p.id = s.product_id
    left join variants v on v.tenant_id = s.tenant_id and v.id = s.variant_id
  where s.tenant_id = ${tenantId} and ${inRange('s.created_at', range)} order by s.id`;

/** Lines of JSON have the address, too. */
export const exportSubscriptions: ExportKind = {
  name: 'subscriptions',
  area: 'orders',
  columns: [
    'id',
    'email',
    'status',
    'product_slug',
    'sku',
    'interval',
    'quantity',
    'unit_price_cents',
    'currency',
    'current_period_end',
    'cancel_at_period_end',
    'canceled_at',
    'created_at',
  ],
  select: ({ tenant }, range) => sql`select ${ofSubscription} ${subscriptions(tenant.id, range)}`,
  selectObjects: ({ tenant }, range) => sql`
    select ${ofSubscription}, ${subscriptionAddress} as shipping_address ${subscriptions(tenant.id, range)}`,
};

/** Their codes are stored as hashes only. */
export const exportGiftCards: ExportKind = {
  name: 'gift_cards',
  area: 'promotions',
  columns: ['id', 'last4', 'currency', 'balance_cents', 'held_cents', 'disabled_at', 'created_at'],
  select: ({ tenant }, range) => sql`
    select g.id, g.last4, g.currency, g.balance_cents, g.held_cents, g.disabled_at, g.created_at from gift_cards g
    where g.tenant_id = ${tenant.id} and ${inRange('g.created_at', range)} order by g.id`,
};

export const exportReminders: ExportKind = {
  name: 'reminders',
  area: 'customers',
  columns: ['id', 'email', 'number', 'state', 'reason', 'due_at', 'decided_at', 'recovered_order_id'],
  select: ({ tenant }, range) => sql`
    select r.id, r.email, r.number, r.state, r.reason, r.due_at, r.decided_at, o.order_id as recovered_order_id
    from reminder_steps r
    left join reminder_recoveries o on o.tenant_id = r.tenant_id and o.saved_cart_id = r.saved_cart_id
    where r.tenant_id = ${tenant.id} and ${inRange('r.created_at', range)} order by r.id`,
};

export const exportAnalytics: ExportKind = {
  name: 'analytics',
  area: 'analytics',
  columns: ['day', 'sessions', 'viewed', 'cart', 'checkout', 'paid', 'orders', 'revenue_cents'],
  select: ({ tenant }, range) => sql`
    select to_char(d.day, 'YYYY-MM-DD') as day, d.sessions, d.viewed, d.cart, d.checkout, d.paid, d.orders,
      d.revenue_cents
    from analytics_days d where d.tenant_id = ${tenant.id} and ${inRange('d.day', range)} order by d.day`,
};
