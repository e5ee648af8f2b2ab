import { sql } from '#src/lib/sql.ts';
import type { KillFixture } from './kill-fixture.ts';
import type { Customer } from './scenarios.ts';

/**
 * Violated invariants of a customer's checkout before the payment: its order can be paid once, and exactly its items
 * are held.
 *
 * @param wanted the expected number of orders; the default is at most one
 */
export async function canBePaidOnce(
  fixture: KillFixture,
  { email, product, promo, card }: Customer,
  wanted?: number,
): Promise<string[]> {
  const { ctx, stripe, account, query } = fixture;
  const orders = await query<{ id: string; status: string; state: string; cardCents: number }>(sql`
    select o.id, o.status, s.state, o.gift_card_cents as "cardCents"
    from orders o join payment_sessions s on s.tenant_id = ${ctx.tenant.id} and s.order_id = o.id
    where o.tenant_id = ${ctx.tenant.id} and o.email = ${email}`);
  const pending = orders.filter(({ status }) => status === 'pending');
  const { sessions, customers } = await stripe.account(account.secretKey);
  const open = sessions
    .filter((session) => session['status'] === 'open')
    .map((session) => (session['metadata'] as Record<string, string>)['platform_order_id'] ?? '')
    .filter((orderId) => orders.some(({ id }) => id === orderId));
  const cardCents = pending.reduce((sum, order) => sum + order.cardCents, 0);
  const [held] = await query<object>(sql`
    select (select stock_held from variants where tenant_id = ${ctx.tenant.id} and id = ${product.variant.id}) as stock,
      (select held from promo_codes where tenant_id = ${ctx.tenant.id} and id = ${promo.id}) as promo,
      (select held_cents::int from gift_cards where tenant_id = ${ctx.tenant.id} and id = ${card.id}) as card,
      (select count(*)::int from holds h join orders o on o.tenant_id = h.tenant_id and o.id = h.order_id
        where h.tenant_id = ${ctx.tenant.id} and h.state = 'held' and o.email = ${email}) as rows`);
  const count = pending.length;
  return [
    ...differs('pending orders', count, wanted ?? Math.min(count, 1)),
    ...differs(
      'other orders',
      orders.filter(({ status }) => !['pending', 'canceled', 'expired'].includes(status)),
      [],
    ),
    ...differs(
      'sessions that can be paid, by order',
      open,
      pending.map(({ id }) => id),
    ),
    ...differs(
      'sessions of pending orders',
      pending.map(({ state }) => state),
      pending.map(() => 'open'),
    ),
    ...differs('held', held, { stock: count, promo: count, card: cardCents, rows: count * 4 }),
    ...differs(
      'customers at the provider',
      customers.filter((customer) => customer['email'] === email).length > 1,
      false,
    ),
  ];
}

/** Violated invariants of a customer who paid: one paid order with its effects, once, and with these `events`. */
export async function isPaidOnce(
  fixture: KillFixture,
  customer: Customer,
  { events }: { events: string } = once,
): Promise<string[]> {
  const [paid, sold] = [await ordersOf(fixture, customer), await stockOf(fixture, customer)];
  return [
    ...differs('orders', paid, [{ ...once, events }]),
    ...differs('sold', sold, { stock: 4, ledger: 4, held: 0, used: 1, promoHeld: 0, balance: 0, cardHeld: 0 }),
  ];
}

/** The first order and one more for the period that was paid. */
export async function isRenewedOnce(fixture: KillFixture, customer: Customer): Promise<string[]> {
  return differs('orders', await ordersOf(fixture, customer), [once, once]);
}

/** The payment was refunded once, the gift card has its balance again, and the stock is restored. */
export async function isRefundedOnce(fixture: KillFixture, customer: Customer): Promise<string[]> {
  const { stripe, account, ctx, query } = fixture;
  const [order] = await query<{ status: string; refunds: string; paymentId: string }>(sql`
    select status, payment_id as "paymentId",
      (select string_agg(type, ', ') from events e where e.tenant_id = ${ctx.tenant.id}
        and e.object_id = o.id and type = 'order.refunded') as refunds
    from orders o where tenant_id = ${ctx.tenant.id} and email = ${customer.email}`);
  const { refunds } = await stripe.account(account.secretKey);
  return [
    ...differs('order', [order?.status, order?.refunds], ['refunded', 'order.refunded']),
    ...differs(
      'refunds at the provider',
      refunds.filter((refund) => refund['payment_intent'] === order?.paymentId).length,
      1,
    ),
    ...differs('sold', await stockOf(fixture, customer), {
      stock: 5,
      ledger: 5,
      held: 0,
      used: 1,
      promoHeld: 0,
      balance: 1000,
      cardHeld: 0,
    }),
  ];
}

/** A payment that only the provider had is in a report, whatever corrected it. */
export async function isDriftReported({ ctx, query }: KillFixture): Promise<string[]> {
  const reports = await query<{ orders: string[] }>(sql`
    select unpaid_here as orders from payment_drift_reports where tenant_id = ${ctx.tenant.id} order by id`);
  return differs('reported orders', reports[0]?.orders.length, 1);
}

/** The gap was scanned completely. */
export async function isGapClosed({ ctx, query }: KillFixture): Promise<string[]> {
  const gaps = await query<object>(sql`
    select finished_at is not null as over, scanned_to = lost_to as whole from payment_event_gaps
    where tenant_id = ${ctx.tenant.id}`);
  return differs('gaps', gaps, [{ over: true, whole: true }]);
}

const once = { status: 'paid', attention: null, events: 'order.paid', labels: 1, receipts: 1 };

async function ordersOf({ ctx, query }: KillFixture, { email }: Customer): Promise<object[]> {
  return query<object>(sql`
    select status, attentions -> 0 ->> 'code' as attention,
      (select string_agg(type, ', ' order by id) from events e where e.tenant_id = ${ctx.tenant.id}
        and e.object_id = o.id) as events,
      (select count(*)::int from labels l where l.tenant_id = ${ctx.tenant.id} and l.order_id = o.id) as labels,
      (select count(*)::int from mails m where m.tenant_id = ${ctx.tenant.id} and m.subject_id = o.id
        and kind = 'receipt') as receipts
    from orders o where tenant_id = ${ctx.tenant.id} and email = ${email} order by number`);
}

async function stockOf({ ctx, query }: KillFixture, { product, promo, card }: Customer): Promise<object | undefined> {
  const [row] = await query<object>(sql`
    select v.stock, v.stock_held as held, p.used, p.held as "promoHeld", c.balance_cents::int as balance,
      c.held_cents::int as "cardHeld",
      (select sum(quantity)::int from stock_movements m where m.tenant_id = ${ctx.tenant.id}
        and m.variant_id = v.id) as ledger
    from variants v, promo_codes p, gift_cards c
    where v.tenant_id = ${ctx.tenant.id} and v.id = ${product.variant.id} and p.tenant_id = ${ctx.tenant.id}
      and p.id = ${promo.id}
      and c.tenant_id = ${ctx.tenant.id} and c.id = ${card.id}`);
  return row;
}

function differs(what: string, found: unknown, wanted: unknown): string[] {
  const text = (value: unknown) => JSON.stringify(sorted(value));
  return text(found) === text(wanted) ? [] : [`${what}: ${text(found)} instead of ${text(wanted)}`];
}

const sorted = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
    : Array.isArray(value)
      ? value.map(sorted)
      : value;
