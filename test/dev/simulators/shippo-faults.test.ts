import test from 'ava';
import { ConnectionError, RequestAbortedError } from 'shippo/models/errors/httpclienterrors.js';
import { ResponseValidationError } from 'shippo/models/errors/responsevalidationerror.js';
import { SDKError } from 'shippo/models/errors/sdkerror.js';

import { cheapestRate, ship, shippoBundle } from './shippo-fixture.ts';

const { simulator, control, open, sdk } = await shippoBundle();
test.after.always(() => simulator.close());

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
