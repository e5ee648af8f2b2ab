import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { ConnectionError, RequestAbortedError } from 'shippo/models/errors/httpclienterrors.js';
import { ResponseValidationError } from 'shippo/models/errors/responsevalidationerror.js';
import { SDKError } from 'shippo/models/errors/sdkerror.js';

import { cheapestRate, parcel, sender, ship, shippoBundle, shopper } from './shippo-fixture.ts';

const { simulator, control, open, sdk } = await shippoBundle({ seed: 1 });
test.after.always(() => simulator.close());

test('POST /shipments returns rates of every domestic carrier for a shipment across the country', async (t) => {
  const { shippo } = open();

  const shipment = await ship(shippo);

  t.is(shipment.status, 'SUCCESS');
  t.deepEqual(
    shipment.rates.map(({ servicelevel }) => servicelevel.token),
    [
      'usps_ground_advantage',
      'usps_priority',
      'usps_priority_express',
      'ups_ground',
      'ups_second_day_air',
      'ups_next_day_air',
      'fedex_ground',
      'fedex_2_day',
    ],
  );
  t.true(shipment.rates.every(({ amount }) => /^\d+\.\d\d$/.test(amount)));
  t.deepEqual(await shippo.rates.get(shipment.rates[0]?.objectId ?? ''), shipment.rates[0]);
  t.is((await shippo.shipments.get(shipment.objectId)).rates.length, 8);
});

test('POST /shipments marks one cheapest and one fastest rate', async (t) => {
  const { shippo } = open();

  const { rates } = await ship(shippo);

  const marked = (attribute: 'CHEAPEST' | 'FASTEST' | 'BESTVALUE') =>
    rates.filter(({ attributes }) => attributes.includes(attribute));
  t.is(Number(marked('CHEAPEST')[0]?.amount), Math.min(...rates.map(({ amount }) => Number(amount))));
  t.is(marked('FASTEST')[0]?.estimatedDays, 1);
  t.deepEqual([marked('CHEAPEST').length, marked('FASTEST').length, marked('BESTVALUE').length], [1, 1, 1]);
});

test('POST /shipments quotes the same parcel equally, and a heavier or farther one higher', async (t) => {
  const { shippo } = open();
  const cost = async (weight: string, zip: string) => {
    const { rates } = await ship(shippo, {
      parcels: [{ ...parcel, weight }],
      addressTo: { zip, country: 'US' },
    });
    return Number(rates[0]?.amount);
  };

  const near = await cost('2.1', '94016');

  t.is(await cost('2.1', '94016'), near);
  t.is(await cost('3', '94016'), near, 'weights are rounded up to pounds');
  t.true((await cost('3.01', '94016')) > near);
  t.true((await cost('2.1', '33101')) > near);
});

test('POST /shipments quotes an address of country and postal code, which cannot be bought', async (t) => {
  const { shippo } = open();

  const shipment = await ship(shippo, { addressTo: { zip: '10010', country: 'US' } });
  const label = await shippo.transactions.create({ rate: shipment.rates[0]?.objectId ?? '', async: false });

  t.false(shipment.addressTo.isComplete);
  t.true(shipment.addressFrom.isComplete);
  t.is(label.status, 'ERROR');
  t.true(label.messages?.some(({ text }) => text?.includes('address_to name')));
});

test('POST /shipments without a postal code returns no rates and a message of each carrier', async (t) => {
  const { shippo } = open();

  const shipment = await ship(shippo, { addressTo: { zip: '00', country: 'US' } });

  t.is(shipment.status, 'SUCCESS');
  t.deepEqual(shipment.rates, []);
  t.is(shipment.messages.filter(({ code }) => code === 'invalid_postal_code').length, 3);
});

test('POST /shipments returns only international rates for a parcel that leaves the country', async (t) => {
  const { shippo } = open();

  const { rates } = await ship(shippo, { addressTo: { zip: 'N1 9GU', country: 'GB' } });

  t.deepEqual(
    rates.map(({ servicelevel }) => servicelevel.token),
    ['dhl_express_worldwide_nondoc'],
  );
});

test('POST /shipments returns rates of the given carrier accounts only', async (t) => {
  const { shippo } = open();
  const accounts = await shippo.carrierAccounts.list({ results: 100 });
  const ups = accounts.results?.find(({ carrier }) => carrier === 'ups');

  const { rates } = await ship(shippo, { carrierAccounts: [ups?.objectId ?? ''] });

  t.deepEqual([...new Set(rates.map(({ provider }) => provider))], ['UPS']);
  await t.throwsAsync(ship(shippo, { carrierAccounts: ['nobody'] }), {
    instanceOf: SDKError,
    message: /not found/,
  });
});

test('GET /carrier_accounts returns five per page, or as many as requested', async (t) => {
  const { token, shippo } = open();

  const first = await shippo.carrierAccounts.list({});
  const second = await shippo.carrierAccounts.list({ page: 2 });

  t.is(first.results?.length, 5);
  t.truthy(first.next);
  t.is(second.results?.length, 2);
  await t.throwsAsync(shippo.carrierAccounts.list({ results: 101 }), {
    message: /whole number from 1 to 100/,
  });

  await control.configureAccount(token, { carriers: ['fedex'] });
  t.deepEqual(
    (await ship(shippo)).rates.map(({ provider }) => provider),
    ['FedEx', 'FedEx'],
  );
});

test('POST /shipments without async false gets its rates later', async (t) => {
  const { shippo } = open();

  const shipment = await ship(shippo, { async: true });
  t.is(shipment.status, 'QUEUED');
  t.true(await control.idle());

  t.is((await shippo.shipments.get(shipment.objectId)).rates.length, 8);
});

test('Shippo simulator rejects invalid requests with errors by field', async (t) => {
  const { token } = open();
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: { authorization: `ShippoToken ${token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return [response.status, await response.json()];
  };

  t.deepEqual(await post('/transactions/', {}), [400, { rate: ['This field is required.'] }]);
  t.deepEqual(await post('/shipments', { address_from: sender, address_to: {}, parcels: [parcel] }), [
    400,
    { address_to: { country: ['This field is required.'] } },
  ]);
  const box = { ...parcel, distance_unit: 'in', mass_unit: 'lb', weight: 2 };
  t.deepEqual(await post('/shipments', { address_from: sender, address_to: shopper, parcels: [box] }), [
    400,
    { parcels: { weight: ['This value must be string.'] } },
  ]);
  t.is((await post('/shipments', '{'))[0], 400);
  t.deepEqual(await post('/nothing', {}), [404, { detail: 'Not found.' }]);
});

test('Shippo simulator rejects a revoked, malformed or missing token', async (t) => {
  const { token, shippo } = open();
  const attempt = (key: string) => t.throwsAsync(sdk(key).carrierAccounts.list({}), { instanceOf: SDKError });

  t.is((await attempt('shippo_test_revoked1'))?.statusCode, 401);
  t.is((await attempt('shippo_something'))?.statusCode, 401);
  t.regex((await attempt('sk_test_1'))?.body ?? '', /Authentication credentials were not provided/);

  await control.configureAccount(token, { auth_broken: true });
  await t.throwsAsync(cheapestRate(shippo), { message: /Token does not exist/ });
});

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

test('GET /transactions filters by rate, page by page', async (t) => {
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
  t.is(refund.transaction, transaction);
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

interface Received {
  headers: IncomingHttpHeaders;
  raw: string;
  payload: {
    event: string;
    test: boolean;
    data: { tracking_number: string; tracking_status: { status: string } };
  };
}

/** A webhook endpoint that responds with the given statuses, then with 200. */
async function listener(t: ExecutionContext, ...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const raw = await text(request);
    received.push({ headers: request.headers, raw, payload: JSON.parse(raw) });
    response.writeHead(statuses.shift() ?? 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}/hooks?token=x`,
    statuses: () => received.map(({ payload }) => payload.data.tracking_status.status),
  };
}

async function bundleWithLabel(t: ExecutionContext) {
  const bundle = await shippoBundle({ seed: 3 });
  t.teardown(() => bundle.simulator.close());
  const { token, shippo } = bundle.open();
  const label = await shippo.transactions.create({
    rate: await cheapestRate(shippo),
    async: false,
    metadata: 'o:1',
  });
  const number = label.trackingNumber ?? '';
  return { ...bundle, token, shippo, number, transaction: label.objectId ?? '' };
}

test('moveTrack updates the track and the label, and sends a webhook for each step', async (t) => {
  const { control, shippo, token, number, transaction } = await bundleWithLabel(t);
  const { received, url, statuses } = await listener(t);
  await control.registerWebhook(token, { url });

  for (const status of ['PRE_TRANSIT', 'TRANSIT', 'DELIVERED'] as const) {
    await control.moveTrack(number, status);
    t.true(await control.idle());
  }

  t.deepEqual(statuses(), ['PRE_TRANSIT', 'TRANSIT', 'DELIVERED']);
  t.like(received[0]?.payload, { event: 'track_updated', test: true });
  t.like(received[0]?.payload.data, {
    carrier: 'usps',
    tracking_number: number,
    transaction,
    metadata: 'o:1',
  });
  t.is(received[0]?.headers['shippo-auth-signature'], undefined);
  const track = await shippo.trackingStatus.get(number, 'usps');
  t.deepEqual(
    track.trackingHistory.map(({ status, substatus }) => [status, substatus?.code]),
    [
      ['UNKNOWN', 'other'],
      ['PRE_TRANSIT', 'information_received'],
      ['TRANSIT', 'package_accepted'],
      ['DELIVERED', 'delivered'],
    ],
  );
  t.is((await shippo.transactions.get(transaction)).trackingStatus, 'DELIVERED');
  t.deepEqual(
    (await control.account(token)).deliveries.map(({ outcome }) => outcome),
    ['delivered', 'delivered', 'delivered'],
  );
});

test('Shippo simulator signs webhooks of an endpoint that has a secret', async (t) => {
  const { control, token, number } = await bundleWithLabel(t);
  const { received, url } = await listener(t);
  await control.registerWebhook(token, { url, secret: 'whisper' });

  await control.moveTrack(number, 'TRANSIT', 'package_departed');
  await control.idle();

  const { raw, headers } = received[0] ?? {};
  const [, seconds, signature] = String(headers?.['shippo-auth-signature']).match(/^t=(\d+),v1=([0-9a-f]{64})$/) ?? [];
  t.is(signature, createHmac('sha256', 'whisper').update(`${seconds}.${raw}`).digest('hex'));
  t.like(JSON.parse(raw ?? ''), { data: { tracking_status: { substatus: { code: 'package_departed' } } } });
});

test('Shippo simulator attempts a webhook three times at most, and only after a retryable response', async (t) => {
  const { control, token, number } = await bundleWithLabel(t);
  const [busy, dead, wrong] = [
    await listener(t, 503, 429),
    await listener(t, 500, 500, 500, 500),
    await listener(t, 404),
  ];
  for (const { url } of [busy, dead, wrong]) await control.registerWebhook(token, { url });
  await control.deliveries({ retry_ms: 5 });

  await control.moveTrack(number, 'TRANSIT');
  t.true(await control.idle());

  t.deepEqual([busy.received.length, dead.received.length, wrong.received.length], [3, 3, 1]);
  t.deepEqual(
    (await control.account(token)).deliveries.map(({ outcome }) => outcome),
    ['delivered', 'failed', 'failed'],
  );
});

test('Shippo simulator drops, duplicates and reorders webhooks as set', async (t) => {
  const { control, token, number } = await bundleWithLabel(t);
  const { received, url, statuses } = await listener(t);
  await control.registerWebhook(token, { url });

  await control.deliveries({ drop: 1 });
  await control.moveTrack(number, 'PRE_TRANSIT');
  t.true(await control.idle());
  t.is(received.length, 0);
  t.is((await control.account(token)).deliveries[0]?.outcome, 'dropped');

  await control.deliveries({ duplicate: 1 });
  await control.moveTrack(number, 'PRE_TRANSIT');
  t.true(await control.idle());
  t.deepEqual(statuses(), ['PRE_TRANSIT', 'PRE_TRANSIT']);

  await control.deliveries({ reorder: 1, delay_ms: 60_000 });
  await control.moveTrack(number, 'TRANSIT');
  await control.deliveries({});
  await control.moveTrack(number, 'DELIVERED');
  t.true(await control.idle());
  t.deepEqual(statuses().slice(2), ['DELIVERED', 'TRANSIT']);
});

const purchase = 'POST /transactions/';

async function ready() {
  const { token, shippo } = open();
  const rate = await cheapestRate(shippo);
  const buy = (signal?: AbortSignal) => sdk(token, signal).transactions.create({ rate, async: false });
  const bought = async () => (await control.account(token)).labels_bought;

  /** Abort a purchase after it has reached Shippo, without waiting for its response. */
  async function buyUnsuccessfully() {
    const before = await purchases();
    const controller = new AbortController();
    const buying = buy(controller.signal);
    while ((await purchases()) === before);
    controller.abort();
    return buying;
  }
  async function purchases() {
    return (await control.requests(purchase)).filter(({ account }) => account === token).length;
  }
  return { token, shippo, rate, buy, buyUnsuccessfully, bought };
}

test('a status fault rejects one request without effect, and the next one succeeds', async (t) => {
  const { token, buy, bought } = await ready();
  await control.fault({ match: purchase, account: token, kind: 'status', status: 429, retry_after: 7 });

  const error = await t.throwsAsync(buy(), { instanceOf: SDKError });

  t.is(error?.statusCode, 429);
  t.is(error?.headers.get('retry-after'), '7');
  t.is(await bought(), 0);
  t.is((await buy()).status, 'SUCCESS');
});

test('a status fault with `after` responds with an error after the label was bought', async (t) => {
  const { token, shippo, rate, buy, bought } = await ready();
  await control.fault({ match: purchase, account: token, kind: 'status', status: 502, after: true });

  t.is((await t.throwsAsync(buy(), { instanceOf: SDKError }))?.statusCode, 502);

  t.is(await bought(), 1);
  t.is((await shippo.transactions.list({ rate })).results?.[0]?.status, 'SUCCESS');
});

test('reset faults disconnect before or after the label was bought', async (t) => {
  const { token, buy, bought } = await ready();

  await control.fault({ match: purchase, account: token, kind: 'reset_before' });
  await t.throwsAsync(buy(), { instanceOf: ConnectionError });
  t.is(await bought(), 0);

  await control.fault({ match: purchase, account: token, kind: 'reset_after' });
  await t.throwsAsync(buy(), { instanceOf: ConnectionError });
  t.is(await bought(), 1);
});

test('a hang fault never responds, with the label bought or not', async (t) => {
  const { token, buyUnsuccessfully, bought } = await ready();

  await control.fault({ match: purchase, account: token, kind: 'hang' });
  await t.throwsAsync(buyUnsuccessfully(), { instanceOf: RequestAbortedError });
  t.is(await bought(), 0);

  await control.fault({ match: purchase, account: token, kind: 'hang', after: true });
  await t.throwsAsync(buyUnsuccessfully(), { instanceOf: RequestAbortedError });
  t.is(await bought(), 1);
});

test('a delay fault responds late, with the label bought before or after', async (t) => {
  const { token, buy, buyUnsuccessfully, bought } = await ready();

  await control.fault({ match: purchase, account: token, kind: 'delay', ms: 60_000, after: true });
  await t.throwsAsync(buyUnsuccessfully(), { instanceOf: RequestAbortedError });
  t.is(await bought(), 1);

  await control.fault({ match: purchase, account: token, kind: 'delay', ms: 80 });
  const began = performance.now();
  await buy();
  t.true(performance.now() - began >= 75);
});

test('an unknown_enum fault makes the SDK throw after the label was bought', async (t) => {
  const { token, shippo, rate, buy, bought } = await ready();
  await control.fault({ match: purchase, account: token, kind: 'unknown_enum' });

  const error = await t.throwsAsync(buy(), { instanceOf: ResponseValidationError });

  t.is(error?.statusCode, 201);
  t.like(error?.rawValue, { status: 'SUCCESS', tracking_status: 'SOMETHING_NEW', rate });
  t.is(await bought(), 1);

  await control.fault({ match: 'GET /transactions', account: token, kind: 'unknown_enum' });
  await t.throwsAsync(shippo.transactions.list({ rate }), { instanceOf: ResponseValidationError });
});

test("a transaction_error fault rejects a label with the carrier's message", async (t) => {
  const { token, buy, bought } = await ready();
  const words = { code: 'carrier_down', text: 'The carrier is asleep.' };
  await control.fault({ match: purchase, account: token, kind: 'transaction_error', ...words });

  const label = await buy();

  t.is(label.status, 'ERROR');
  t.like(label.messages?.[0], words);
  t.is(await bought(), 0);
});

test('a queued fault leaves a label queued until it is resolved', async (t) => {
  const { token, shippo, buy, bought } = await ready();
  await control.fault({ match: purchase, account: token, kind: 'queued', times: 2 });

  const [good, bad] = [await buy(), await buy()];
  t.deepEqual([good.status, bad.status], ['QUEUED', 'QUEUED']);
  await control.resolveTransaction(good.objectId ?? '', 'SUCCESS');
  await control.resolveTransaction(bad.objectId ?? '', 'ERROR', { text: 'No such street.' });

  t.is((await shippo.transactions.get(good.objectId ?? '')).status, 'SUCCESS');
  t.is((await shippo.transactions.get(bad.objectId ?? '')).messages?.[0]?.text, 'No such street.');
  t.is(await bought(), 1);
});

test('a no_rates fault returns a shipment without rates', async (t) => {
  const { token, shippo } = open();
  await control.fault({
    match: 'POST /shipments',
    account: token,
    kind: 'no_rates',
    text: 'Nobody goes there.',
  });

  const shipment = await ship(shippo);

  t.deepEqual(shipment.rates, []);
  t.is(shipment.messages[0]?.text, 'Nobody goes there.');
});

test('faults apply to their account only, as often as set, and can be cleared', async (t) => {
  const bundle = await shippoBundle({ seed: 7 });
  t.teardown(() => bundle.simulator.close());
  const [one, other] = [bundle.open(), bundle.open()];
  await bundle.control.fault({ match: 'GET /carrier_*', account: one.token, kind: 'status', times: 2 });

  await other.shippo.carrierAccounts.list({});
  await t.throwsAsync(one.shippo.carrierAccounts.list({}));
  await bundle.control.clearFaults();
  await one.shippo.carrierAccounts.list({});

  await bundle.control.fault({ match: '*', kind: 'status', probability: 0.5, times: 100 });
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => other.shippo.carrierAccounts.list({})));
  const failures = outcomes.filter(({ status }) => status === 'rejected').length;
  t.true(failures > 8 && failures < 32, `${failures} of 40 failed`);
});

test('Shippo simulator records every request, and a reset deletes everything', async (t) => {
  const bundle = await shippoBundle();
  t.teardown(() => bundle.simulator.close());
  const { token, shippo } = bundle.open();
  const rate = await cheapestRate(shippo);
  await shippo.transactions.create({ rate, async: false, metadata: 'mine' });

  const [bought] = await bundle.control.requests('POST /transactions');
  t.like(bought, { account: token, status: 201, body: { rate, metadata: 'mine', async: false } });
  t.is((await bundle.control.requests()).length, 2);

  await bundle.control.reset();

  t.deepEqual(await bundle.control.requests(), []);
  t.is((await bundle.control.account(token)).labels_bought, 0);
});
