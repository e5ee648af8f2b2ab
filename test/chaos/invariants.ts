import pg from 'pg';

import type { Receiver } from '#src/local/demo/receiver.ts';
import { mailboxControl } from '#src/local/simulators/mailbox/control.ts';
import { shippoControl } from '#src/local/simulators/shippo/control.ts';
import { stripeControl } from '#src/local/simulators/stripe/control/control-client.ts';
import type { Stack } from '#src/local/stack/start-stack.ts';
import type { Bought } from './shoppers.ts';

/** What does not hold yet; empty when everything does. */
export async function findBreaches(stack: Stack, receiver: Receiver, bought: readonly Bought[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
  await client.connect();
  try {
    const ask = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[];
    return [
      ...(await paidOnce(stack, ask, bought)),
      ...(await labelledOnce(stack, ask)),
      ...(await toldOf(receiver, ask)),
      ...(await stockIsLedger(ask)),
      ...(await mailed(stack, bought)),
      ...(await nothingPending(ask)),
    ];
  } finally {
    await client.end();
  }
}

type Ask = <Row>(text: string) => Promise<Row[]>;

/** Every paid session is one paid order, with one `order.paid`, one label promised and one receipt. */
async function paidOnce(stack: Stack, ask: Ask, bought: readonly Bought[]): Promise<string[]> {
  const { sessions } = await stripeControl(stack.stripeUrl).account(stack.store.stripeKey);
  const paidSessions = sessions.filter((session) => session['payment_status'] === 'paid');
  const orders = await ask<{ id: string; events: number; labels: number; receipts: number }>(`
    select o.id, (select count(*)::int from events e where e.object_id = o.id and e.type = 'order.paid') as events,
      (select count(*)::int from labels l where l.order_id = o.id) as labels,
      (select count(*)::int from mails m where m.subject_id = o.id and m.kind = 'receipt') as receipts
    from orders o where o.payment_status = 'paid'`);
  const paid = new Set(orders.map(({ id }) => id));
  return [
    ...bought.filter((one) => one.paid !== paid.has(one.orderId)).map(({ orderId, paid }) => `order ${orderId} was ${paid ? '' : 'not '}paid for`),
    ...(paidSessions.length === orders.length ? [] : [`${paidSessions.length} sessions are paid and ${orders.length} orders`]),
    ...orders.filter(({ events }) => events !== 1).map(({ id, events }) => `order ${id} has ${events} order.paid`),
    ...orders.filter(({ labels }) => labels !== 1).map(({ id, labels }) => `order ${id} promised ${labels} labels`),
    ...orders.filter(({ receipts }) => receipts !== 1).map(({ id, receipts }) => `order ${id} promised ${receipts} receipts`),
  ];
}

/** Labels that were bought and not refunded are the paid orders, one each. */
async function labelledOnce(stack: Stack, ask: Ask): Promise<string[]> {
  const account = await shippoControl(stack.shippoUrl).account(stack.store.shippoKey);
  const kept = account.transactions.filter(({ status }) => status === 'SUCCESS');
  const orders = await ask<{ id: string; labels: number; attention: string | null }>(`
    select o.id, o.attention_code as attention,
      (select count(*)::int from labels l where l.order_id = o.id and l.state = 'purchased') as labels
    from orders o where o.payment_status = 'paid'`);
  return [
    ...orders.filter(({ labels }) => labels !== 1).map(({ id, labels, attention }) => `order ${id} has ${labels} labels (${attention})`),
    ...(kept.length === orders.length ? [] : [`${kept.length} labels are kept at the provider for ${orders.length} paid orders`]),
  ];
}

/** The endpoint heard of every event that it chose, at least once. */
async function toldOf(receiver: Receiver, ask: Ask): Promise<string[]> {
  const heard = new Set(receiver.events.map(({ id }) => id));
  const events = await ask<{ id: string; type: string }>(`select id, type from events where type in ('order.paid', 'order.shipped')`);
  return events.filter(({ id }) => !heard.has(id)).map(({ id, type }) => `${type} ${id} was not heard`);
}

/** Stock is what the ledger adds up to, and never below zero. */
async function stockIsLedger(ask: Ask): Promise<string[]> {
  const variants = await ask<{ sku: string; stock: number; held: number; ledger: number }>(`
    select v.sku, v.stock::int as stock, v.stock_held::int as held,
      (select coalesce(sum(m.quantity), 0)::int from stock_movements m where m.variant_id = v.id) as ledger
    from variants v where v.stock is not null and not v.backorder`);
  return variants
    .filter(({ stock, held, ledger }) => stock !== ledger || stock < 0 || held < 0)
    .map(({ sku, stock, held, ledger }) => `${sku}: stock ${stock}, ledger ${ledger}, held ${held}`);
}

/** Everyone who paid has a receipt. */
async function mailed(stack: Stack, bought: readonly Bought[]): Promise<string[]> {
  const messages = await mailboxControl(stack.mailboxUrl).messages();
  const addressed = new Set(messages.flatMap(({ to }) => to));
  return bought.filter(({ paid, email }) => paid && !addressed.has(email)).map(({ email }) => `${email} has no receipt`);
}

/** Nothing is left to do, and nothing was given up. */
async function nothingPending(ask: Ask): Promise<string[]> {
  const rows = await ask<{ job: string; failure: string | null; count: number }>(`
    select job, failure, count(*)::int as count from outbox
    where finished_at is null and due_at <= now() and job not like '%.sweep-%' group by job, failure`);
  return rows.map(({ job, failure, count }) => `${count} of ${job} are not done${failure ? `: ${failure}` : ''}`);
}
