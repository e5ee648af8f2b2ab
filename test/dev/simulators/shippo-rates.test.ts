import test from 'ava';
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
  t.is((await shippo.rates.listShipmentRates(shipment.objectId)).results?.length, 8);
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
  const usps = await shippo.carrierAccounts.list({ carrier: 'usps', serviceLevels: true });

  t.is(first.results?.length, 5);
  t.truthy(first.next);
  t.is(second.results?.length, 2);
  t.is(usps.results?.[0]?.serviceLevels?.length, 3);
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

test('POST /shipments accepts ids of existing addresses and parcels', async (t) => {
  const { shippo } = open();
  const to = await shippo.addresses.create({ ...shopper, validate: true });
  const box = await shippo.parcels.create(parcel);

  const shipment = await ship(shippo, { addressTo: to.objectId, parcels: [box.objectId] });

  t.true(to.validationResults?.isValid);
  t.is(shipment.addressTo.objectId, to.objectId);
  t.is(shipment.parcels[0]?.objectId, box.objectId);
  t.is((await shippo.addresses.get(to.objectId ?? '')).city, 'New York');
  const lost = await shippo.addresses.create({ ...shopper, street1: 'Invalid Lane 1' });
  t.false((await shippo.addresses.validate(lost.objectId ?? '')).validationResults?.isValid);
});

test('GET /shipments lists the newest first and filters by date', async (t) => {
  const { shippo } = open();
  const older = await ship(shippo);
  const newer = await ship(shippo);

  const listed = await shippo.shipments.list({ results: 1 });
  const future = await shippo.shipments.list({ objectCreatedGt: '2999-01-01T00:00:00Z' });

  t.deepEqual(
    listed.results?.map(({ objectId }) => objectId),
    [newer.objectId],
  );
  t.deepEqual((await shippo.shipments.list({ page: 2, results: 1 })).results?.[0]?.objectId, older.objectId);
  t.deepEqual(future.results, []);
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
  t.deepEqual(await post('/parcels', { ...parcel, distance_unit: 'in', mass_unit: 'lb', weight: 2 }), [
    400,
    { weight: ['This value must be string.'] },
  ]);
  t.like(await post('/addresses', '{'), [400]);
  t.like(await post('/nothing', {}), [404, { detail: 'Not found.' }]);
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
