import pg from 'pg';
import { readConfig } from '#src/config.ts';
import { read } from '#src/database/transact.ts';
import type { Receiver } from '#src/dev/demo/receiver.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Context } from '#src/domain/context.ts';
import { findTenant } from '#src/domain/tenants/directories.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { type AuditedStore, readBooks } from '#test/support/money-books.ts';
import { brokenMoneyRules } from '#test/support/money-rules.ts';
import type { RequestedRefund } from './refunds.ts';
import type { Codes, Purchase } from './shoppers.ts';
import type { Visit } from './visitors.ts';

/** What shoppers, the owner and visitors did. */
export interface Actions {
  readonly bought: readonly Purchase[];
  readonly refunds?: readonly RequestedRefund[];
  readonly visits?: readonly Visit[];
}

/** What must hold of the store of a stack, whatever happened to it. */
export interface Invariants {
  /** A promo code, gift cards and a partner's code, which shoppers may use. */
  readonly codes: Codes;
  /** The invariants that are violated. */
  findBreaches(actions: Actions): Promise<string[]>;
  close(): Promise<void>;
}

/** Begin before anything is sold: the stock and the gift cards are those of now. */
export async function openInvariants(stack: Stack, receiver: Receiver): Promise<Invariants> {
  const services = await createServices(readConfig({ ...stack.environment }), 'chaos', { log: silentLog });
  const tenant = await findTenant(services.context(), sql`slug = ${stack.store.slug}`);
  if (!tenant) throw new Error(`There is no store ${stack.store.slug}.`);
  const ctx: Context = { ...services.context(), tenant };
  const { store, codes } = await openStore(stack, ctx);
  return {
    codes,
    close: services.close,
    async findBreaches({ bought, refunds = [], visits = [] }) {
      const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
      await client.connect();
      try {
        const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
          (await client.query(text, values)).rows as Row[];
        return [
          ...(await paidOnce(stack, query, bought)),
          ...(await refundedOnce(stack, query, refunds)),
          ...(await labelledOnce(stack, query)),
          ...(await eventsReceived(receiver, query)),
          ...(await emailsSentOnce(stack, query)),
          ...(await signedInOnce(query, visits)),
          ...(await eventsCountedOnce(query, visits)),
          ...(await moneyAgrees(stack, store)),
          ...(await nothingPending(query)),
        ];
      } finally {
        await client.end();
      }
    },
  };
}

/** Enough that each is used up: by then, others want it, too. */
const giftCards = 10;
const giftCardCents = 1000;

async function openStore(stack: Stack, ctx: Context): Promise<{ store: AuditedStore; codes: Codes }> {
  const variants = await read<{ id: string; stock: number }>(
    ctx,
    sql`select id, stock from variants where tenant_id = ${ctx.tenant.id} and stock is not null`,
  );
  const { code: promoCode } = await buildPromo(ctx, { usage_limit: 10 });
  const { code: partnerCode } = await buildPartner(ctx, { commission_percent: 7.5, discount_percent: 5 });
  const giftCardCodes: string[] = [];
  for (let number = 0; number < giftCards; number += 1)
    giftCardCodes.push((await buildGiftCard(ctx, { balanceCents: giftCardCents })).code);
  const cards = await read<{ issuedCents: number }>(
    ctx,
    sql`select balance_cents as "issuedCents" from gift_cards where tenant_id = ${ctx.tenant.id}`,
  );
  const store: AuditedStore = {
    ctx,
    currency: ctx.tenant.currency,
    cards,
    stocked: new Map(variants.map(({ id, stock }) => [id, stock])),
    returnedByDefault: new Set(),
    partnerCode,
    now: () => ctx.clock.now(),
    provider: () => stripeControl(stack.stripeUrl).account(stack.store.stripeKey),
  };
  return { store, codes: { promoCode, partnerCode, giftCardCodes } };
}

type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Every paid session is one paid order, with one `order.paid`, one label and one receipt. */
async function paidOnce(stack: Stack, query: Query, bought: readonly Purchase[]): Promise<string[]> {
  const { sessions } = await stripeControl(stack.stripeUrl).account(stack.store.stripeKey);
  const paidSessions = sessions.filter((session) => session['payment_status'] === 'paid');
  const orders = await query<Record<'events' | 'labels' | 'receipts', number> & { id: string; email: string }>(`
    select o.id, o.email,
      (select count(*)::int from events e where e.object_id = o.id and e.type = 'order.paid') as events,
      (select count(*)::int from labels l where l.order_id = o.id) as labels,
      (select count(*)::int from mails m
        where m.subject_id = o.id and m.kind = 'receipt' and m.recipient = o.email) as receipts
    from orders o where o.paid_at is not null`);
  const payers = new Map(orders.map(({ id, email }) => [id, email]));
  return [
    ...bought
      .filter(({ orderId, email, paid }) => payers.get(orderId) !== (paid ? email : undefined))
      .map(
        ({ orderId, email, paid }) =>
          `order ${orderId} of ${email}, who ${paid ? 'paid' : 'did not pay'}, ` +
          `is ${payers.has(orderId) ? `paid by ${payers.get(orderId)}` : 'not paid'}`,
      ),
    ...(paidSessions.length === orders.length
      ? []
      : [`${paidSessions.length} sessions are paid and ${orders.length} orders`]),
    ...orders.filter(({ events }) => events !== 1).map(({ id, events }) => `order ${id} has ${events} order.paid`),
    ...orders.filter(({ labels }) => labels !== 1).map(({ id, labels }) => `order ${id} has ${labels} labels`),
    ...orders
      .filter(({ receipts }) => receipts !== 1)
      .map(({ id, receipts }) => `order ${id} has ${receipts} receipts`),
  ];
}

/** Every refund that was requested is one at the provider, and the order knows its amount. */
async function refundedOnce(stack: Stack, query: Query, requested: readonly RequestedRefund[]): Promise<string[]> {
  const { refunds } = await stripeControl(stack.stripeUrl).account(stack.store.stripeKey);
  const issued = Map.groupBy(refunds, ({ metadata }) => (metadata as Record<string, string>)['platform_refund_id']);
  const orders = await query<{ id: string; total: number; refunded: number }>(`
    select id, total_cents::int as total, refunded_cents::int as refunded from orders where paid_at is not null`);
  const byOrder = Map.groupBy(requested, ({ orderId }) => orderId);
  return [
    ...requested
      .filter(({ id }) => issued.get(id)?.length !== 1)
      .map(({ id, orderId }) => `refund ${id} of ${orderId} was issued ${issued.get(id)?.length ?? 0} times`),
    ...(refunds.length === requested.length ? [] : [`${refunds.length} of ${requested.length} refunds were issued`]),
    ...orders.flatMap(({ id, total, refunded }) => {
      const amounts = (byOrder.get(id) ?? []).map(({ amountCents }) => amountCents);
      const expected = amounts.includes(undefined) ? total : amounts.reduce((sum = 0, cents = 0) => sum + cents, 0);
      return refunded === expected ? [] : [`${refunded} of ${expected} cents of ${id} are refunded`];
    }),
  ];
}

/**
 * Every paid order has one label, and a refunded one has none: it was canceled, or voided where it was bought. The
 * labels that are active at the provider are those of the orders.
 */
async function labelledOnce(stack: Stack, query: Query): Promise<string[]> {
  const account = await shippoControl(stack.shippoUrl).account(stack.store.shippoKey);
  const active = account.transactions.filter(({ status }) => status === 'SUCCESS').map(({ object_id: id }) => id);
  const orders = await query<{ id: string; labels: string[]; expected: number; attention: string | null }>(`
    select o.id, o.attentions -> 0 ->> 'code' as attention,
      array(select l.purchase_id from labels l where l.order_id = o.id and l.state = 'purchased') as labels,
      (o.payment_status <> 'refunded')::int as expected
    from orders o where o.paid_at is not null`);
  const known = orders.flatMap(({ labels }) => labels);
  return [
    ...orders
      .filter(({ labels, expected }) => labels.length !== expected)
      .map(
        ({ id, labels, expected, attention }) =>
          `order ${id} has ${labels.length} of ${expected} labels (${attention})`,
      ),
    ...active.filter((id) => !known.includes(id)).map((id) => `label ${id} is active and belongs to no order`),
    ...known.filter((id) => !active.includes(id)).map((id) => `label ${id} is not active at the provider`),
  ];
}

/**
 * The endpoint received every event of its types at least once, and nothing without a valid signature; the newest state
 * that it received of an order is no older than the order's last event; and two events with one version have the same
 * state.
 */
async function eventsReceived(receiver: Receiver, query: Query): Promise<string[]> {
  const received = new Set(receiver.events.map(({ id }) => id));
  const events = await query<{ id: string; type: string; orderId: string }>(
    `
    select e.id, e.type, e.object_id as "orderId" from events e
    join webhook_endpoints w on w.tenant_id = e.tenant_id and w.url = $1 and w.events ? e.type`,
    [receiver.url],
  );
  const newest = new Map<string, Record<string, unknown>>();
  const byVersion = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const {
    data: { object, object_version: version },
  } of receiver.events.toSorted((a, b) => a.data.object_version - b.data.object_version)) {
    newest.set(String(object['id']), object);
    const name = `${String(object['id'])} in version ${version}`;
    const text = JSON.stringify(object);
    if ((byVersion.get(name) ?? text) !== text) ambiguous.add(name);
    byVersion.set(name, text);
  }
  const isOlder = ({ type, orderId }: { type: string; orderId: string }) => {
    const order = newest.get(orderId) ?? {};
    return order['payment_status'] === 'unpaid' || (type === 'order.shipped' && order['shipped_at'] === null);
  };
  return [
    ...(receiver.rejected === 0 ? [] : [`${receiver.rejected} deliveries had no valid signature`]),
    ...events.filter(({ id }) => !received.has(id)).map(({ id, type }) => `${type} ${id} was not received`),
    ...events
      .filter(isOlder)
      .map(({ type, orderId }) => `the newest state received of ${orderId} is older than its ${type}`),
    ...[...ambiguous].map((name) => `${name} has two states`),
  ];
}

const atMostOnce = ['abandoned_cart', 'restock'];

/**
 * Each reminder is sent at most once, and once for each step of a cart; every other email arrives at its recipient at
 * least once.
 */
async function emailsSentOnce(stack: Stack, query: Query): Promise<string[]> {
  const messages = await mailboxControl(stack.mailboxUrl).messages();
  const arrivals = Map.groupBy(messages, ({ message_id: id }) => id);
  const mails = await query<
    Record<'id' | 'kind' | 'state' | 'recipient' | 'messageId', string> & { step: string | null }
  >(`
    select id, kind, state, recipient, message_id as "messageId",
      case when kind = 'abandoned_cart' and state <> 'suppressed' then subject_id || ' ' || (data->>'step') end as step
    from mails`);
  const steps = Map.groupBy(
    mails.filter(({ step }) => step !== null),
    ({ step }) => step,
  );
  return [
    ...mails.flatMap(({ id, kind, state, recipient, messageId }) => {
      const arrived = (arrivals.get(messageId) ?? []).filter(({ to }) => to.includes(recipient));
      if (atMostOnce.includes(kind) && arrived.length > 1) return [`${kind} ${id} arrived ${arrived.length} times`];
      if (atMostOnce.includes(kind) && state !== 'sent') return [];
      // A link that was used before its second email is not emailed again.
      return arrived.length === 0 && !(kind === 'magic_link' && state === 'suppressed')
        ? [`${kind} ${id} is ${state} and did not arrive`]
        : [];
    }),
    ...[...steps]
      .filter(([, sent]) => sent.length > 1)
      .map(([step, sent]) => `step ${step} was emailed ${sent.length} times`),
  ];
}

/** Who requested a link was emailed one, it opens one session, and no session is opened by anything else. */
async function signedInOnce(query: Query, visits: readonly Visit[]): Promise<string[]> {
  const emailed = new Set(
    (await query<{ recipient: string }>(`select recipient from mails where kind = 'magic_link'`)).map(
      ({ recipient }) => recipient,
    ),
  );
  const openings = new Map<string, number>();
  for (const { link } of visits)
    if (link?.token) openings.set(link.token, (openings.get(link.token) ?? 0) + link.openings);
  const customers = await query<{ id: string; sessions: number; links: number }>(`
    select c.id, (select count(*)::int from sessions s where s.customer_id = c.id) as sessions,
      (select count(*)::int from sign_in_links l where l.email = c.email and l.used_at is not null) as links
    from customers c`);
  return [
    ...visits
      .filter(({ link }) => link && !emailed.has(link.email))
      .map(({ sessionId, link }) => `${sessionId} requested a link for ${link?.email}, who was not emailed one`),
    ...[...openings.values()].filter((times) => times > 1).map((times) => `a link opened ${times} sessions`),
    ...customers
      .filter(({ sessions, links }) => sessions !== links)
      .map(({ id, sessions, links }) => `${id} has ${sessions} sessions of ${links} links`),
  ];
}

/** Every event that a storefront sent, and every paid order, is counted once and nothing else, also in the roll-ups. */
async function eventsCountedOnce(query: Query, visits: readonly Visit[]): Promise<string[]> {
  const rows = await query<{ name: string; count: number }>(`
    select coalesce(order_id, session_id) as name, count(*)::int as count from analytics_events group by 1`);
  const counts = new Map(rows.map(({ name, count }) => [name, count]));
  const paid = await query<{ id: string }>(`select id from orders where paid_at is not null`);
  const expected = new Map([
    ...paid.map(({ id }) => [id, 1] as const),
    ...visits.map(({ sessionId, events }) => [sessionId, events] as const),
  ]);
  const numbers = await query<{ what: string; count: number; hours: number; days: number }>(`
    with sold as (select total_cents from orders where paid_at is not null),
      hours as (select sum(events)::int as events, sum(revenue_cents)::int as revenue,
        sum(events) filter (where type = 'order_paid')::int as orders from analytics_hours),
      days as (select sum(events)::int as events, sum(revenue_cents)::int as revenue, sum(orders)::int as orders
        from analytics_days)
    select 'events' as what, (select count(*)::int from analytics_events where not bot) as count,
      hours.events as hours, days.events as days from hours, days
    union all select 'orders', (select count(*)::int from sold), hours.orders, days.orders from hours, days
    union all select 'cents of revenue', (select sum(total_cents)::int from sold), hours.revenue, days.revenue
      from hours, days`);
  return [
    ...[...new Set([...expected.keys(), ...counts.keys()])]
      .filter((name) => counts.get(name) !== expected.get(name))
      .map((name) => `${counts.get(name) ?? 0} of ${expected.get(name) ?? 0} events of ${name} are counted`),
    ...numbers
      .filter(({ count, hours, days }) => hours !== count || days !== count)
      .map(({ what, count, hours, days }) => `of ${count} ${what}, ${hours} are in the hours and ${days} in the days`),
  ];
}

/** The rules of money hold, and the journal has what the carrier was paid and has refunded. */
async function moneyAgrees(stack: Stack, store: AuditedStore): Promise<string[]> {
  const books = await readBooks(store);
  const labels = await shippoControl(stack.shippoUrl).account(stack.store.shippoKey);
  const costs = { label_costs: -labels.charged_cents, label_refunds: labels.refunded_cents };
  return [
    ...(await brokenMoneyRules(books, store)),
    ...Object.entries(costs)
      .filter(([account, cents]) => (books.accounts[account] ?? 0) !== cents)
      .map(([account, cents]) => `the journal has ${books.accounts[account]} of ${account}, and the carrier ${cents}`),
  ];
}

/** No job is open, and nothing has failed for good. Sweeps are enqueued again and again, so that one may be open. */
async function nothingPending(query: Query): Promise<string[]> {
  const rows = await query<{ what: string; failure: string | null; count: number }>(`
    select job as what, failure, count(*)::int as count from outbox
      where finished_at is null and (failed_at is not null or (due_at <= now() and job not like '%.sweep-%'))
      group by job, failure
    union all select 'the deliveries', last_failure, count(*)::int from webhook_deliveries
      where state = 'failed' group by last_failure
    union all select 'the emails', failure, count(*)::int from mails where state = 'failed' group by failure
    union all select 'the batches of analytics', reason, count(*)::int from analytics_quarantine group by reason`);
  return rows.map(
    ({ what, failure, count }) => `${count} of ${what} are not completed${failure ? `: ${failure}` : ''}`,
  );
}
