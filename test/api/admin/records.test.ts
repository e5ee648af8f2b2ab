import anyTest, { type TestFn } from 'ava';

import { newId } from '#src/lib/ids.ts';
import { buildRemindedCart, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

test('GET /admin/modules returns the enabled modules', async (t) => {
  t.deepEqual((await t.context.owner.get('/modules')).body, {
    modules: { customer_accounts: true, subscriptions: true, gift_cards: true, reviews: true },
  });
});

test('GET /admin/analytics/zero-result-searches lists what shoppers did not find, the most frequent first', async (t) => {
  const { api, ctx, owner, otherOwner } = t.context;
  for (const q of ['Oak  Table', 'lamp', 'oak table'])
    await api.call('GET', `/api/v1/search?${new URLSearchParams({ q })}`, { tenant: ctx.tenant.slug });
  const { body } = await owner.get('/analytics/zero-result-searches');
  t.deepEqual(
    body.searches.map(({ query, count }: any) => [query, count]),
    [
      ['oak table', 2],
      ['lamp', 1],
    ],
  );
  t.is((await owner.get('/analytics/zero-result-searches?limit=1')).body.searches.length, 1);
  t.deepEqual((await otherOwner.get('/analytics/zero-result-searches')).body.searches, []);
});

test('PUT /admin/store replaces what an owner may change, once for each version, and logs no email', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { store } = (await owner.get('/store')).body;
  const { slug, owner_email, currency, ...settings } = store;
  t.is(slug, ctx.tenant.slug);
  const changed = { ...settings, name: 'Cedar & Daughters', mail_from: 'Cedar <hello@cedar.example>' };
  const { status, body } = await owner.put('/store', { ...changed, slug: 'other', owner_email: 'thief@mail.example' });
  t.is(status, 200);
  t.like(body.store, { slug, owner_email, currency, name: 'Cedar & Daughters', version: store.version + 1 });
  t.is((await owner.get('/store')).body.store.name, 'Cedar & Daughters');
  t.is(resultOf(await owner.put('/store', changed)), '409 version_conflict');
  const wrong = {
    ...changed,
    version: null,
    locale: 'x',
    timezone: 'Moon',
    allowed_origins: ['https://a:b@c.example'],
  };
  t.deepEqual(placesOf(await owner.put('/store', wrong)), ['/locale', '/timezone', '/allowed_origins/0']);
  const log = await auditOf(ctx);
  t.deepEqual(log.at(-1)?.after.changed, ['name', 'mail_from']);
  t.false(/hello@cedar|owner_email/.test(JSON.stringify(log)));
  t.not((await otherOwner.get('/store')).body.store.name, 'Cedar & Daughters');
});

test('PUT /admin/reminder-settings saves when carts are reminded of, and rejects times out of bounds', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const standard = { enabled: true, steps: ['1h', '1d', '3d'], quiet_hours: ['21:00', '08:00'], per_address: '16h' };
  t.deepEqual((await owner.get('/reminder-settings')).body, { reminders: standard });
  const wanted = { enabled: false, steps: ['2h'], quiet_hours: null, per_address: '1d' };
  t.deepEqual((await owner.put('/reminder-settings', wanted)).body, { reminders: wanted });
  t.deepEqual((await owner.get('/reminder-settings')).body, { reminders: wanted });
  t.deepEqual(placesOf(await owner.put('/reminder-settings', { steps: ['2h', '1h'] })), ['/steps']);
  t.deepEqual(placesOf(await owner.put('/reminder-settings', { steps: ['31d'] })), ['/steps/0']);
  t.deepEqual((await otherOwner.get('/reminder-settings')).body, { reminders: standard });
  t.deepEqual(await deedsOf(ctx), ['reminders.created']);
});

test('GET /admin/audit-log lists pages and filters by subject', async (t) => {
  const { owner } = t.context;
  const {
    body: { product },
  } = await owner.post('/products', { slug: 'bowl', name: 'Bowl', variants: [{ sku: 'B', price_cents: 1 }] });
  await owner.post('/promo-codes', { code: 'A', type: 'free_shipping' });
  await owner.delete('/products/bowl');
  t.deepEqual(
    (await pagesOf(owner, '/audit-log', 'entries')).flat().map(({ action }) => action),
    ['product.removed', 'promo_code.created', 'product.created'],
  );
  const of = async (query: string) =>
    (await owner.get(`/audit-log?${query}`)).body.entries.map(({ action }: any) => action);
  t.deepEqual(await of('subject_kind=promo_code'), ['promo_code.created']);
  t.deepEqual(await of(`subject_id=${product.id}&limit=1`), ['product.removed']);
});

test('GET /admin/reminders lists decisions and filters by email', async (t) => {
  const { ctx, owner } = t.context;
  await remindAnytime(ctx);
  const { email } = await buildRemindedCart(ctx);
  await buildRemindedCart(ctx);
  t.is((await pagesOf(owner, '/reminders', 'reminders')).flat().length, 6);
  const { body } = await owner.get(`/reminders?email=${email}`);
  t.deepEqual(
    body.reminders.map(({ step, state }: any) => [step, state]),
    [
      [3, 'scheduled'],
      [2, 'scheduled'],
      [1, 'scheduled'],
    ],
  );
});

test('GET /admin/subscriptions lists pages and filters by status and email', async (t) => {
  const { ctx, owner } = t.context;
  const first = await buildSubscription(ctx);
  const second = await buildSubscription(ctx, { status: 'canceled' });
  const third = await buildSubscription(ctx, { email: 'bob@example.com' });
  t.deepEqual(
    (await pagesOf(owner, '/subscriptions', 'subscriptions')).flat().map(({ id }) => id),
    [third.id, second.id, first.id],
  );
  const idsOf = async (query: string) =>
    (await owner.get(`/subscriptions?${query}`)).body.subscriptions.map(({ id }: any) => id);
  t.deepEqual(await idsOf('status=canceled'), [second.id]);
  t.deepEqual(await idsOf('email=bob@example.com'), [third.id]);
  t.like((await owner.get(`/subscriptions/${first.id}`)).body.subscription, { id: first.id, status: 'active' });
  t.is(resultOf(await owner.get(`/subscriptions/${newId('sub')}`)), '404 not_found');
});
