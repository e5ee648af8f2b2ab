import { createServer, type RequestListener } from 'node:http';
import { registerHooks } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { freePort } from '#src/dev/embedded/free-port.ts';
import { type Listening, listen } from '#src/dev/listen.ts';
import { type ShippoControl, shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import type { ShippingAccount } from '#src/domain/ports/shipping-gateway.ts';
import { randomText } from '#src/lib/crypto.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { silentLog } from '#src/lib/log.ts';
import { Type } from '#src/lib/schema.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createCarrierList } from '#src/providers/shippo/carrier-list.ts';
import { shipmentRequest } from '#src/providers/shippo/shipment-request.ts';
import { createShippoGateway } from '#src/providers/shippo/shippo-gateway.ts';
import { purchaseOf } from '#src/providers/shippo/wire.ts';
import { awkwardNames } from '#test/support/awkward-names.ts';
import { countCompiled } from '#test/support/count-compiled.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<Given>;

interface Given {
  simulator: Listening;
  control: ShippoControl;
}

test.before(async (t) => {
  const simulator = await startShippoSimulator();
  t.context = { simulator, control: shippoControl(simulator.url) };
});

test.after.always((t) => t.context.simulator.close());

const from = {
  name: 'Cedar',
  street1: '215 Clayton St',
  city: 'San Francisco',
  state: 'CA',
  zip: '94117',
  country: 'US',
  phone: '4155550100',
};

const to = { name: 'Ada Wells', street1: '40 W 23rd St', city: 'New York', state: 'NY', zip: '10010', country: 'US' };
const parcel = { lengthIn: 10, widthIn: 8, heightIn: 4, weightOz: 20 };
const request = { from, to, parcel, carriers: ['usps', 'ups'] };

function setUp({ simulator, control }: Given, { failures = 50, openMs = 60_000 } = {}) {
  const account: ShippingAccount = { tenantId: `ten_${randomText(10)}`, apiKey: `shippo_test_${randomText(24)}` };
  const lines: object[] = [];
  const log = {
    debug: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    info: (fields: object) => lines.push(fields),
  };
  const gateway = createShippoGateway({
    baseUrl: simulator.url,
    log,
    breaker: new CircuitBreaker({ openMs, failures }),
  });
  return {
    account,
    gateway,
    lines,
    fault: (match: string, kind: Parameters<ShippoControl['fault']>[0]['kind'], more: object = {}) =>
      control.fault({ match, kind, account: account.apiKey, ...more }),
    bought: async () => (await control.account(account.apiKey)).labels_bought,
  };
}

/** A gateway to a server that responds as the simulator never does. */
async function gatewayTo(t: ExecutionContext, respond: RequestListener) {
  const { url, close } = await listen(createServer(respond));
  t.teardown(close);
  const breaker = new CircuitBreaker({ openMs: 60_000, failures: 50 });
  return createShippoGateway({ baseUrl: url, log: silentLog, breaker });
}

async function failure(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof ProviderError) return error;
  throw new Error(`It did not fail as a provider does: ${String(error)}`);
}

test('quote returns the rates of the requested carriers in cents', async (t) => {
  const { account, gateway } = setUp(t.context);
  const quote = await gateway.quote(account, request);
  t.true(quote.hasActiveCarrier);
  t.deepEqual(new Set(quote.rates.map(({ carrier }) => carrier)), new Set(['usps', 'ups']));
  for (const rate of quote.rates) {
    t.true(Number.isInteger(rate.amountCents) && rate.amountCents > 0);
    t.is(rate.currency, 'USD');
    t.true(rate.createdAt instanceof Date);
  }
  const all = await gateway.quote(account, { ...request, carriers: [] });
  t.true(all.rates.some(({ carrier }) => carrier === 'fedex'));
  t.deepEqual(await gateway.quote(account, { ...request, carriers: ['ontrac'] }), {
    hasActiveCarrier: false,
    rates: [],
    rejection: null,
  });
});

test('quote without rates reports whether the address is the reason', async (t) => {
  const { account, gateway } = setUp(t.context);
  t.is((await gateway.quote(account, { ...request, to: { ...to, zip: '00000' } })).rejection?.kind, 'address');
  t.is((await gateway.quote(account, { ...request, parcel: { ...parcel, weightOz: 3000 } })).rejection?.kind, 'parcel');
});

test('a label is bought, found by its rate, fetched and refunded', async (t) => {
  const { account, gateway, bought } = setUp(t.context);
  const {
    rates: [rate],
  } = await gateway.quote(account, { ...request, marker: 'ord_1 digest' });
  const label = await gateway.buyLabel(account, { rateId: rate?.id ?? '', marker: 'lbl_1:1 ORD-1001' });
  t.like(label, { state: 'purchased', marker: 'lbl_1:1 ORD-1001', rateId: rate?.id, failure: null });
  t.truthy(label.trackingNumber);
  t.deepEqual(
    (await gateway.findPurchases(account, rate?.id ?? '')).map(({ id }) => id),
    [label.id],
  );
  t.deepEqual(await gateway.findPurchases(account, 'none'), []);
  t.deepEqual(await gateway.fetchRate(account, rate?.id ?? ''), { rate, marker: 'ord_1 digest' });
  t.is(
    (await gateway.track(account, { carrier: rate?.carrier ?? '', trackingNumber: label.trackingNumber ?? '' })).status,
    'unknown',
  );
  const byHand = { carrier: rate?.carrier ?? '', trackingNumber: '9400100000000000000000' };
  t.is((await gateway.follow(account, byHand)).status, 'unknown');
  t.deepEqual(await gateway.track(account, byHand), await gateway.follow(account, byHand));

  await gateway.refundPurchase(account, label.id);
  await gateway.refundPurchase(account, label.id);
  t.is((await gateway.fetchPurchase(account, label.id)).state, 'refunded');
  t.is(await bought(), 1);
});

test('every purchase of an account since a time is listed, newest first, however many pages there are', async (t) => {
  const { account, gateway } = setUp(t.context);
  const {
    rates: [rate],
  } = await gateway.quote(account, request);
  const bought: string[] = [];
  for (let count = 0; count < 101; count += 1) {
    const { id } = await gateway.buyLabel(account, { rateId: rate?.id ?? '', marker: `lbl_1:${count} ORD-1001` });
    bought.unshift(id);
  }
  const listed = await gateway.listPurchases(account, new Date(0));
  t.deepEqual(
    listed.map(({ id }) => id),
    bought,
  );
  const since = listed[0]?.createdAt ?? new Date(0);
  t.deepEqual(
    (await gateway.listPurchases(account, since)).map(({ id }) => id),
    listed.filter(({ createdAt }) => createdAt && createdAt >= since).map(({ id }) => id),
  );
  t.deepEqual(await gateway.listPurchases(account, new Date(since.getTime() + 1)), []);
});

test('refundPurchase is rejected where the carrier has seen the parcel, which Shippo returns as a refund', async (t) => {
  const { account, gateway } = setUp(t.context);
  const { rates } = await gateway.quote(account, request);
  const label = await gateway.buyLabel(account, { rateId: rates[0]?.id ?? '', marker: 'lbl_1:1 ORD-1001' });
  await t.context.control.moveTrack(label.trackingNumber ?? '', 'TRANSIT');
  t.is((await failure(gateway.refundPurchase(account, label.id))).failure, 'refused');
});

test.serial('a second purchase and its refund compile no schema', async (t) => {
  const { account, gateway } = setUp(t.context);
  const buyAndRefund = async () => {
    const {
      rates: [rate],
    } = await gateway.quote(account, request);
    const label = await gateway.buyLabel(account, { rateId: rate?.id ?? '', marker: '' });
    await gateway.refundPurchase(account, label.id);
    // Shippo also returns the whole rate.
    t.is(purchaseOf({ object_id: label.id, status: 'SUCCESS', rate: { object_id: 'rate_1' } }).rateId, 'rate_1');
  };
  await buyAndRefund();
  t.is(await countCompiled(buyAndRefund), 0);
});

test('a list of carriers that is replaced or dropped while it is fetched arrives all the same', async (t) => {
  const account = { tenantId: 'ten_1', apiKey: 'shippo_test_1' };
  const responses = [Promise.withResolvers<object>(), Promise.withResolvers<object>(), Promise.withResolvers<object>()];
  const usps = { results: [{ object_id: 'ca_1', carrier: 'usps' }] };
  let calls = 0;
  const carriers = createCarrierList(async () => responses[calls++]?.promise as never);

  const first = carriers.chosen(account, []);
  const check = carriers.fetch(account);
  responses[1]?.resolve(usps);
  await check;
  responses[0]?.resolve(usps);
  t.deepEqual(await first, [{ id: 'ca_1', carrier: 'usps' }]);

  carriers.drop(account);
  const second = carriers.chosen(account, []);
  carriers.drop(account);
  responses[2]?.resolve(usps);
  t.deepEqual(await second, [{ id: 'ca_1', carrier: 'usps' }]);
});

test('a purchase that the SDK cannot parse is read from the wire', async (t) => {
  const { account, gateway, fault, bought } = setUp(t.context);
  const {
    rates: [rate],
  } = await gateway.quote(account, request);
  await fault('POST /transactions', 'unknown_enum');
  const label = await gateway.buyLabel(account, { rateId: rate?.id ?? '', marker: 'm' });
  t.is(label.state, 'purchased');
  t.is(await bought(), 1);

  await fault('GET /transactions', 'unknown_enum');
  t.is((await gateway.findPurchases(account, rate?.id ?? ''))[0]?.id, label.id);
  await fault('GET /transactions/*', 'unknown_enum');
  t.is((await gateway.fetchPurchase(account, label.id)).state, 'purchased');
  await fault('POST /shipments', 'unknown_enum');
  t.true((await gateway.quote(account, request)).rates.length > 0);
  await fault('GET /tracks/*', 'unknown_enum');
  t.is(
    (await gateway.track(account, { carrier: rate?.carrier ?? '', trackingNumber: label.trackingNumber ?? '' })).status,
    'unknown',
  );
});

test('a purchase without a response may have happened; a rejected one has not', async (t) => {
  const { account, gateway, fault, bought } = setUp(t.context);
  const {
    rates: [rate],
  } = await gateway.quote(account, request);
  const buy = (signal?: AbortSignal) => gateway.buyLabel(account, { rateId: rate?.id ?? '', marker: 'm' }, { signal });

  await fault('POST /transactions', 'reset_after');
  t.is((await failure(buy())).failure, 'away');
  await fault('POST /transactions', 'status', { status: 502, after: true });
  t.is((await failure(buy())).failure, 'away');
  await fault('POST /transactions', 'hang', { after: true });
  const controller = new AbortController();
  const timedOut = failure(buy(controller.signal));
  await until(async () => (await bought()) === 3, { what: 'the third purchase' });
  controller.abort();
  t.is((await timedOut).failure, 'away');

  await fault('POST /transactions', 'status', { status: 408 });
  t.is((await failure(buy())).failure, 'away', 'a proxy that ran out of patience does not know');
  await fault('POST /transactions', 'status', { status: 429, retry_after: 7 });
  t.like(await failure(buy()), { failure: 'busy', retryAfterSeconds: 7 });
  await fault('POST /transactions', 'status', { status: 401 });
  t.is((await failure(buy())).failure, 'denied');
  t.like(await failure(gateway.buyLabel(account, { rateId: 'none', marker: 'm' })), {
    failure: 'refused',
    code: 'rate',
  });
  t.is((await failure(gateway.fetchPurchase(account, 'none'))).failure, 'missing');
  t.is(await bought(), 3);
});

test('an unreadable response counts as an unknown outcome', async (t) => {
  const answers = ['<html>Created</html>', '{"object_id":', '{"status":"SUCCESS"}', '[]', ''];
  let requests = 0;
  const gateway = await gatewayTo(t, (_, response) => {
    requests += 1;
    response.writeHead(201, { 'content-type': 'application/json' }).end(answers[requests - 1]);
  });
  const { account } = setUp(t.context);
  for (const reply of answers) {
    t.is((await failure(gateway.buyLabel(account, { rateId: 'r', marker: 'm' }))).failure, 'away', reply);
  }
  t.is(requests, answers.length, 'and is not asked for again');
});

test('the deadline of a call holds, also after a garbage collection', async (t) => {
  const { account, gateway, fault } = setUp(t.context);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;

  await fault('GET /transactions/*', 'hang', { times: 2 });
  for (const signal of [undefined, new AbortController().signal]) {
    const failed = failure(gateway.fetchPurchase(account, 'slow', { timeoutMs: 150, signal }));
    // A few times while the call waits: a thread that only collects garbage ends no call.
    for (let time = 0; time < 3; time += 1) {
      await pause(20);
      collect();
    }
    t.is((await failed).failure, 'away');
  }
});

test('a response whose body stalls or breaks off fails its call, and nothing else in the process', async (t) => {
  const responses = [200, 404, 429, 500].flatMap((status) => [true, false].map((breaksOff) => ({ status, breaksOff })));
  let next = responses[0];
  const gateway = await gatewayTo(t, (_, response) => {
    response.writeHead(next?.status ?? 200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"detail":', () => next?.breaksOff && response.destroy());
  });
  const { account } = setUp(t.context);
  for (next of responses) {
    const error = await failure(gateway.fetchPurchase(account, 'pur_1', { timeoutMs: 150 }));
    t.is(error.failure, 'away', JSON.stringify(next));
  }
});

test('a rejection with a reason phrase that is not ASCII is a rejection', async (t) => {
  const gateway = await gatewayTo(t, (_, response) => {
    response.writeHead(400, 'Refus\u00e9', { 'content-type': 'application/json' }).end('{"rate":["No."]}');
  });
  const { account } = setUp(t.context);
  const error = await failure(gateway.buyLabel(account, { rateId: 'r', marker: 'm' }));
  t.like(error, { failure: 'refused', code: 'rate' });
});

test("a carrier's rejection is classified by its message", async (t) => {
  const { account, gateway, fault } = setUp(t.context);
  const {
    rates: [rate],
  } = await gateway.quote(account, request);
  const rejections = [
    ['The recipient street could not be found.', 'address'],
    ['Insufficient funds: please add a payment method.', 'funds'],
    ['The carrier API timed out.', 'temporary'],
    ['address_from phone is required.', 'carrier'],
    ['No.', 'carrier'],
  ] as const;
  for (const [text, kind] of rejections) {
    await fault('POST /transactions', 'transaction_error', { text });
    const label = await gateway.buyLabel(account, { rateId: rate?.id ?? '', marker: 'm' });
    t.like(label, { state: 'failed', failure: { kind } });
  }
  await fault('POST /transactions', 'queued');
  t.is((await gateway.buyLabel(account, { rateId: rate?.id ?? '', marker: 'm' })).state, 'undecided');
});

test('the circuit opens for one store after repeated time-outs', async (t) => {
  const { account, gateway, fault } = setUp(t.context, { failures: 2 });
  await fault('POST /shipments', 'reset_before', { times: 2 });
  t.is((await failure(gateway.quote(account, request))).failure, 'away');
  t.is((await failure(gateway.quote(account, request))).failure, 'away');
  t.like(await failure(gateway.quote(account, request)), { failure: 'busy', code: 'circuit_open' });
  await t.notThrowsAsync(gateway.quote({ ...account, tenantId: 'ten_other' }, request));
});

test('an open circuit lets one call through after its pause', async (t) => {
  let now = 0;
  const breaker = new CircuitBreaker({ openMs: 60_000, failures: 1, now: () => now });
  const request = (work: () => Promise<unknown>) => breaker.run('p', 'k', work);
  const silent = () => Promise.reject(new ProviderError('p', 'away', 'silence'));
  await t.throwsAsync(request(silent), { message: 'silence' });
  now = 59_999;
  t.like(await failure(request(silent)), { code: 'circuit_open', retryAfterSeconds: 1 });

  now = 60_000;
  const [probe, other] = [request(async () => 'an answer'), failure(request(silent))];
  t.is((await other).code, 'circuit_open', 'one at a time');
  t.is(await probe, 'an answer');
  t.is(await request(async () => 'and another'), 'and another');
});

test('each call is logged without addresses, keys or bodies', async (t) => {
  const { account, gateway, lines, fault } = setUp(t.context);
  await gateway.quote(account, request);
  await fault('POST /shipments', 'status', { status: 400, text: 'Ada Wells does not live at 40 W 23rd St' });
  const error = await failure(gateway.quote(account, request));
  t.deepEqual(Object.keys(lines.at(-1) ?? {}), ['provider', 'operation', 'status', 'outcome', 'ms']);
  t.notRegex(JSON.stringify(lines) + error.message + String(error.cause), /Ada|23rd|10010|shippo_test/);
});

test('checkAccount distinguishes a rejected key from an unavailable provider', async (t) => {
  const { account, gateway } = setUp(t.context);
  await t.notThrowsAsync(gateway.checkAccount(account));
  t.is((await failure(gateway.checkAccount({ ...account, apiKey: 'shippo_test_revoked' }))).failure, 'denied');
});

const addressTo = (given: object): object =>
  Object(shipmentRequest({ from, to: { ...from, ...given }, parcel, carriers: [] }, []).addressTo);

test('shipmentRequest wraps a street that is too long for its line and loses no word of it', (t) => {
  t.like(addressTo({ street1: '40 W 23rd St', street2: 'Apt 5' }), { street1: '40 W 23rd St', street2: 'Apt 5' });
  t.like(
    addressTo({ street1: '12345 North Martin Luther King Junior Boulevard', street2: 'Building C, Apartment 1204' }),
    {
      street1: '12345 North Martin Luther King',
      street2: 'Junior Boulevard Building C,',
      street3: 'Apartment 1204',
    },
  );
  t.like(addressTo({ street1: 'Some very long street with a great many words in it', street2: null }), {
    street1: 'Some very long street with a great',
    street2: 'many words in it',
  });
});

test('shipmentRequest wraps a street of a language without spaces, and cuts no character in two', (t) => {
  const street = '東京都千代田区丸の内一丁目九番地一号東京ステーションシティサピアタワー𠮷野二十三階南側受付';
  const { street1, street2 } = addressTo({ street1: street, street2: null }) as { street1: string; street2: string };
  t.is(street1 + street2, street);
  for (const line of [street1, street2]) t.true(line.length <= 35 && line.isWellFormed(), line);
  for (const character of ['😀', '👩‍👩‍👧']) {
    const fitting = character.repeat(Math.floor(35 / character.length));
    t.like(addressTo({ street1: fitting + character, street2: null }), { street1: fitting, street2: character });
  }
  const long = `e${'\u0301'.repeat(40)}`;
  t.like(addressTo({ street1: `${long} 1`, street2: null }), { street1: long, street2: '1' });
});

test('shipmentRequest writes postal codes and phone numbers with the digits that carriers read', (t) => {
  t.like(addressTo({ zip: '１００－０００５', phone: '\u202a+٩٦٥ ٥٠٠٠\u202c' }), {
    zip: '100-0005',
    phone: '+965 5000',
  });
  t.like(addressTo({ zip: 'SW1A 1AA', phone: '(415) 555-0100 ext. 2' }), {
    zip: 'SW1A 1AA',
    phone: '(415) 555-0100 ext. 2',
  });
});

test('shipmentRequest writes every field on one line and leaves out what is empty then', (t) => {
  for (const name of awkwardNames) {
    const address = addressTo({ name, city: name, street2: '\u0007 \n' });
    t.false('street2' in address, name);
    for (const text of Object.values(address)) t.notRegex(String(text), /\p{Cc}/u, name);
  }
});

test('shipmentRequest cites an exemption from US filing only where one was claimed', (t) => {
  const declared = (exemption: 'low_value' | 'to_canada' | null) => {
    const items = [{ description: 'Tea', quantity: 2, weightOz: 2, valueCents: 2000, currency: 'JPY' }];
    const customs = { signer: 'Cedar', items, exemption };
    return shipmentRequest({ from, to: { ...from, country: 'JP' }, parcel, carriers: [], customs }, [])
      .customsDeclaration;
  };
  t.like(declared('low_value'), {
    eelPfc: 'NOEEI_30_37_a',
    items: only({ valueAmount: '2000', valueCurrency: 'JPY' }),
  });
  t.like(declared('to_canada'), { eelPfc: 'NOEEI_30_36' });
  t.false('eelPfc' in Object(declared(null)));
});

test('an SDK that could not be loaded for a first call is loaded for the next one', async (t) => {
  const { account } = setUp(t.context);
  // With a query it is another module, which has loaded nothing yet.
  const url = new URL('../../src/providers/shippo/call-shippo.ts?loads-again', import.meta.url).href;
  const { createCaller }: typeof import('#src/providers/shippo/call-shippo.ts') = await import(url);
  const noDescriptor = new Error('EMFILE: too many open files');
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      if (context.parentURL === url) throw noDescriptor;
      return nextResolve(specifier, context);
    },
  });
  t.teardown(() => hooks.deregister());
  const breaker = new CircuitBreaker({ openMs: 60_000, failures: 50 });
  const callShippo = createCaller({ baseUrl: t.context.simulator.url, log: silentLog, breaker });
  const list = () =>
    callShippo({ account, operation: 'carrierAccounts.list', response: Type.Object({}) }, (shippo) =>
      shippo.carrierAccounts.list({}),
    );
  t.is(await t.throwsAsync(list()), noDescriptor);
  hooks.deregister();
  await t.notThrowsAsync(list());
});

test('a failure of the connection names its code, by which DNS, the network and the server differ', async (t) => {
  const gateway = createShippoGateway({
    baseUrl: `http://127.0.0.1:${await freePort()}`,
    log: silentLog,
    breaker: new CircuitBreaker({ openMs: 60_000, failures: 5 }),
  });
  const account = { tenantId: `ten_${randomText(10)}`, apiKey: `shippo_test_${randomText(24)}` };
  const error = await t.throwsAsync(gateway.quote(account, request), { instanceOf: ProviderError });
  t.regex(error?.message ?? '', /^Shippo gave no readable response to [a-z_.]+ \(ECONNREFUSED\)\.$/);
});
