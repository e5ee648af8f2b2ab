import test from 'ava';

import { cheapestRate, sender, ship, shippoBundle, shopper } from './shippo-fixture.ts';

const { simulator, control, open } = await shippoBundle();
test.after.always(() => simulator.close());

test('POST /transactions buys a label synchronously with async false', async (t) => {
  const { shippo } = open();
  const rate = await cheapestRate(shippo);

  const label = await shippo.transactions.create({
    rate,
    async: false,
    labelFileType: 'PDF_4x6',
    metadata: 'ord:1001:1',
  });

  t.is(label.status, 'SUCCESS');
  t.is(label.rate, rate);
  t.is(label.metadata, 'ord:1001:1');
  t.regex(label.trackingNumber ?? '', /^9205\d{18}$/);
  t.true(label.trackingUrlProvider?.endsWith(label.trackingNumber ?? '?'));
  t.is(label.trackingStatus, 'UNKNOWN');
  const page = await fetch(label.labelUrl ?? '');
  t.is(page.headers.get('content-type'), 'application/pdf');
  t.true((await page.text()).startsWith('%PDF'));
  t.deepEqual(await shippo.transactions.get(label.objectId ?? ''), label);
});

test('POST /transactions gives a UPS label a UPS tracking number', async (t) => {
  const { shippo } = open();
  const { rates } = await ship(shippo);
  const ups = rates.find(({ provider }) => provider === 'UPS');

  const label = await shippo.transactions.create({ rate: ups?.objectId ?? '', async: false });

  t.regex(label.trackingNumber ?? '', /^1Z[0-9A-Z]{16}$/);
});

test('POST /transactions queues a label by default, and resolves it later', async (t) => {
  const { shippo } = open();

  const queued = await shippo.transactions.create({ rate: await cheapestRate(shippo) });
  t.is(queued.status, 'QUEUED');
  t.is(queued.trackingNumber, undefined);
  t.true(await control.idle());

  t.is((await shippo.transactions.get(queued.objectId ?? '')).status, 'SUCCESS');
});

test('POST /transactions charges the same rate twice when it is bought twice', async (t) => {
  const { token, shippo } = open();
  const rate = await cheapestRate(shippo);

  const one = await shippo.transactions.create({ rate, async: false });
  const two = await shippo.transactions.create({ rate, async: false });

  t.not(one.trackingNumber, two.trackingNumber);
  const account = await control.account(token);
  t.is(account.labels_bought, 2);
  t.is(account.charged_cents, 2 * Math.round(Number((await shippo.rates.get(rate)).amount) * 100));
  t.deepEqual(account.transactions_by_status, { SUCCESS: 2 });
});

test('GET /transactions filters by rate and status, page by page', async (t) => {
  const { token, shippo } = open();
  const rate = await cheapestRate(shippo);
  const other = await cheapestRate(shippo);
  const one = await shippo.transactions.create({ rate, async: false });
  await shippo.transactions.create({ rate: other, async: false });
  await control.configureAccount(token, { insufficient_funds: true });
  const rejected = await shippo.transactions.create({ rate, async: false });

  t.is(rejected.messages?.[0]?.code, 'insufficient_funds');
  const ids = async (request: object) =>
    (await shippo.transactions.list(request)).results?.map(({ objectId }) => objectId);
  t.deepEqual(await ids({ rate }), [rejected.objectId, one.objectId]);
  t.deepEqual(await ids({ rate, objectStatus: 'SUCCESS' }), [one.objectId]);
  t.deepEqual(await ids({ trackingStatus: 'DELIVERED' }), []);
  t.deepEqual(await ids({ results: 2, page: 2 }), [one.objectId]);
  t.deepEqual(await ids({ rate: 'unheard-of' }), []);
});

test('POST /transactions fails when a part of an address is missing', async (t) => {
  const { shippo } = open();
  const buy = async (changes: object) => {
    const { rates } = await ship(shippo, changes);
    const label = await shippo.transactions.create({ rate: rates[0]?.objectId ?? '', async: false });
    return [label.status, label.messages?.map(({ text }) => text?.split(' ').slice(0, 2).join(' '))];
  };

  t.deepEqual(await buy({ addressFrom: { ...sender, name: undefined } }), ['ERROR', ['address_from name']]);
  t.deepEqual(await buy({ addressTo: { ...shopper, street1: '', city: ' ' } }), [
    'ERROR',
    ['address_to street1', 'address_to city'],
  ]);
  t.deepEqual(await buy({ addressTo: { ...shopper, street1: 'x'.repeat(36) } }), ['ERROR', ['address_to street1']]);
  t.deepEqual((await buy({ addressTo: { ...shopper, country: 'GB' } }))[0], 'ERROR', 'no customs declaration');
});

test('POST /transactions rejects a rate that is older than 7 days', async (t) => {
  let now = Date.parse('2026-11-01T12:00:00Z');
  const bundle = await shippoBundle({ now: () => new Date(now) });
  t.teardown(() => bundle.simulator.close());
  const { shippo } = bundle.open();
  const rate = await cheapestRate(shippo);

  now += 7 * 86_400_000 - 1;
  t.is((await shippo.transactions.create({ rate, async: false })).status, 'SUCCESS');
  now += 1;

  await t.throwsAsync(shippo.transactions.create({ rate, async: false }), { message: /older than 7 days/ });
});

test('POST /refunds refunds an unused label once', async (t) => {
  const { token, shippo } = open();
  const label = await shippo.transactions.create({ rate: await cheapestRate(shippo), async: false });
  const transaction = label.objectId ?? '';

  const refund = await shippo.refunds.create({ transaction, async: false });

  t.is(refund.status, 'SUCCESS');
  t.is((await shippo.transactions.get(transaction)).status, 'REFUNDED');
  t.is((await shippo.refunds.get(refund.objectId ?? '')).transaction, transaction);
  t.is((await shippo.refunds.list({})).results?.length, 1);
  await t.throwsAsync(shippo.refunds.create({ transaction, async: false }), { message: /not yet refunded/ });
  t.is((await control.account(token)).labels_bought, 1);
});

test('POST /refunds under a queued fault stays pending until it is resolved', async (t) => {
  const { token, shippo } = open();
  const label = await shippo.transactions.create({ rate: await cheapestRate(shippo), async: false });
  await control.fault({ match: 'POST /refunds', kind: 'queued', account: token });

  const refund = await shippo.refunds.create({ transaction: label.objectId ?? '' });
  t.is(refund.status, 'QUEUED');
  await control.resolveRefund(refund.objectId ?? '', 'ERROR');

  t.is((await shippo.transactions.get(label.objectId ?? '')).status, 'REFUNDREJECTED');
});
