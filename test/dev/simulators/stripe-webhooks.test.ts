import test from 'ava';
import type Stripe from 'stripe';

import { errorOf, openReceiver, openStoreFixture, paymentSession, type StoreFixture } from './stripe-fixture.ts';

async function makeCustomers({ stripe }: StoreFixture, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await stripe.customers.create({})).id);
  return ids;
}

function objectIds(events: readonly Stripe.Event[]): string[] {
  return events.map(({ data }) => ('id' in data.object ? String(data.object.id) : ''));
}

test('an endpoint receives events of its types that occur after its creation', async (t) => {
  const fixture = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await fixture.stripe.customers.create({});
  await fixture.control.addWebhookEndpoint(fixture.key, {
    url: receiver.url,
    secret: receiver.secret,
    events: ['customer.updated'],
  });
  const customer = await fixture.stripe.customers.create({ name: 'Ada' });
  await fixture.stripe.customers.update(customer.id, { name: 'Grace' });
  await fixture.control.flush();

  t.is(receiver.events.length, 1);
  const [event] = receiver.events;
  t.like(event, {
    type: 'customer.updated',
    api_version: '2026-10-28.endive',
    livemode: false,
    object: 'event',
  });
  t.like(event?.data, { object: { id: customer.id, name: 'Grace' }, previous_attributes: { name: 'Ada' } });
  t.regex(event?.request?.id ?? '', /^req_/);
  const [listed] = (await fixture.stripe.events.list({ type: 'customer.updated' })).data;
  t.deepEqual(listed?.data, JSON.parse(JSON.stringify(event?.data)));
});

test('a delivery without a success response is retried with a new signature', async (t) => {
  const fixture = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await fixture.control.deliveries({ retry_ms: [1, 1, 1, 1] });
  await fixture.control.addWebhookEndpoint(fixture.key, { url: receiver.url, secret: receiver.secret });
  receiver.status = 500;
  const customer = await fixture.stripe.customers.create({});
  await receiver.arrived('customer.created', 2);
  receiver.status = 200;
  await fixture.control.idle();

  t.deepEqual(new Set(objectIds(receiver.events)), new Set([customer.id]));
  const { deliveries } = await fixture.control.account(fixture.key);
  t.is(deliveries[0]?.state, 'delivered');
  t.is(deliveries[0]?.attempts.at(0)?.status, 500);
  t.is(deliveries[0]?.attempts.at(-1)?.status, 200);
});

test('an unacknowledged event is listed with delivery_success false', async (t) => {
  const fixture = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await fixture.control.deliveries({ retry_ms: [1] });
  await fixture.control.addWebhookEndpoint(fixture.key, { url: receiver.url, secret: receiver.secret });
  receiver.status = 302;
  await fixture.stripe.customers.create({ name: 'lost' });
  await fixture.control.idle();
  receiver.status = 200;
  await fixture.stripe.customers.create({ name: 'delivered' });
  await fixture.control.idle();

  const names = async (delivered: boolean) =>
    (await fixture.stripe.events.list({ delivery_success: delivered })).data.map(
      ({ data }) => Object(data.object).name,
    );
  t.deepEqual(await names(false), ['lost']);
  t.deepEqual(await names(true), ['delivered']);
  const [lost] = (await fixture.stripe.events.list({ delivery_success: false })).data;
  await fixture.control.resend(lost?.id ?? '');
  await fixture.control.flush();
  t.is(receiver.events.at(-1)?.id, lost?.id);
});

test('the webhook dispatcher drops and duplicates events as set', async (t) => {
  const fixture = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await fixture.control.addWebhookEndpoint(fixture.key, { url: receiver.url, secret: receiver.secret });
  await fixture.control.deliveries({ drop: 0.3, duplicate: 0.3, seed: 11 });
  const ids = await makeCustomers(fixture, 60);
  await fixture.control.flush();

  const arrived = objectIds(receiver.events);
  const distinct = new Set(arrived);
  t.true(distinct.size > 25 && distinct.size < 60, `${distinct.size} of 60 arrived`);
  t.true(arrived.length > distinct.size, `${arrived.length} arrivals of ${distinct.size}`);
  t.true([...distinct].every((id) => ids.includes(id)));
  const { deliveries } = await fixture.control.account(fixture.key);
  t.is(deliveries.filter(({ state }) => state === 'dropped').length, 60 - distinct.size);
});

test('the webhook dispatcher reorders events as set', async (t) => {
  const fixture = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await fixture.control.addWebhookEndpoint(fixture.key, { url: receiver.url, secret: receiver.secret });
  await fixture.control.deliveries({ reorder: 10, seed: 3 });
  const ids = await makeCustomers(fixture, 30);
  await fixture.control.flush();
  const arrived = objectIds(receiver.events);
  t.notDeepEqual(arrived, ids);
  t.deepEqual(arrived.toSorted(), ids.toSorted());
});

test('a flush delivers delayed events at once', async (t) => {
  const fixture = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await fixture.control.addWebhookEndpoint(fixture.key, { url: receiver.url, secret: receiver.secret });
  await fixture.control.deliveries({ delay_ms: [3_600_000, 3_600_000] });
  await makeCustomers(fixture, 5);
  t.is(receiver.events.length, 0);
  await fixture.control.flush();
  t.is(receiver.events.length, 5);
});

test('the API responds without waiting for a slow endpoint', async (t) => {
  const fixture = await openStoreFixture(t);
  await fixture.control.addWebhookEndpoint(fixture.key, { url: 'http://127.0.0.1:1/', secret: 'whsec_x' });
  const { id } = await fixture.stripe.checkout.sessions.create(paymentSession());
  t.like(await fixture.control.pay(id, { outcome: 'paid' }), { status: 'complete' });
});

test('a signing secret is rotated with a second endpoint at the same URL', async (t) => {
  const fixture = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  const params = {
    url: receiver.url,
    enabled_events: ['customer.created' as const],
    metadata: { marker: 'rotate:1' },
  };
  const first = await fixture.stripe.webhookEndpoints.create(params);
  const second = await fixture.stripe.webhookEndpoints.create(params, { idempotencyKey: 'rotate:1' });
  const replay = await fixture.stripe.webhookEndpoints.create(params, { idempotencyKey: 'rotate:1' });
  t.regex(first.secret ?? '', /^whsec_\w{32}$/);
  t.not(second.secret, first.secret);
  t.is(replay.secret, second.secret);

  await fixture.stripe.webhookEndpoints.update(first.id, { disabled: true });
  const listed = await fixture.stripe.webhookEndpoints.list();
  t.is(listed.data[0]?.secret, undefined);
  t.deepEqual(
    listed.data.map(({ id, status }) => [id, status]),
    [
      [second.id, 'enabled'],
      [first.id, 'disabled'],
    ],
  );
  receiver.secrets.push(second.secret ?? '');
  await fixture.stripe.customers.create({});
  await fixture.control.flush();
  t.is(receiver.events.length, 1);

  t.true((await fixture.stripe.webhookEndpoints.del(first.id)).deleted);
  t.is((await errorOf(fixture.stripe.webhookEndpoints.update(first.id, {}))).statusCode, 404);
});

test('an account has at most sixteen endpoints, with known event types only', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const params = { url: 'https://shop.example/hook', enabled_events: ['*' as const] };
  for (let made = 0; made < 16; made++) await stripe.webhookEndpoints.create(params);
  t.is((await errorOf(stripe.webhookEndpoints.create(params))).statusCode, 400);
  const odd: object = { enabled_events: ['order.paid'] };
  const unknown = await errorOf(stripe.webhookEndpoints.create({ ...params, ...odd }));
  t.is(unknown.param, 'enabled_events[0]');
  t.is((await errorOf(stripe.webhookEndpoints.create({ ...params, url: 'shop' }))).code, 'url_invalid');
});

test('events are listed newest first and paged in both directions', async (t) => {
  const { stripe } = await openStoreFixture(t);
  for (let made = 0; made < 25; made++) await stripe.customers.create({ name: String(made) });
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  await stripe.checkout.sessions.expire(id);
  const names = (events: Stripe.Event[]) => events.map(({ data }) => Object(data.object).name);

  const types = ['customer.created'];
  const first = await stripe.events.list({ types, limit: 10 });
  t.true(first.has_more);
  t.deepEqual(names(first.data).slice(0, 2), ['24', '23']);
  const second = await stripe.events.list({ types, limit: 10, starting_after: first.data.at(-1)?.id ?? '' });
  t.is(names(second.data)[0], '14');
  const back = await stripe.events.list({ types, limit: 3, ending_before: second.data[0]?.id ?? '' });
  t.deepEqual(names(back.data), ['17', '16', '15']);
  t.true(back.has_more);

  t.is((await stripe.events.list({ types, limit: 100 })).data.length, 25);
  t.is((await stripe.events.list({ type: 'checkout.*' })).data[0]?.type, 'checkout.session.expired');
  t.is((await errorOf(stripe.events.list({ limit: 101 }))).param, 'limit');
  t.is((await errorOf(stripe.events.list({ starting_after: 'evt_none' }))).code, 'resource_missing');
  const many = Array.from({ length: 21 }, () => 'customer.created');
  t.is((await errorOf(stripe.events.list({ types: many }))).param, 'types');
});
