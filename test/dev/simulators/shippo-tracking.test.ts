import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import test, { type ExecutionContext } from 'ava';

import { cheapestRate, shippoBundle } from './shippo-fixture.ts';

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
  await shippo.webhooks.createWebhook({ event: 'track_updated', url, active: true });

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

  await control.deliveries({ reorder: 1 });
  await control.moveTrack(number, 'TRANSIT');
  await control.deliveries({});
  await control.moveTrack(number, 'DELIVERED');
  t.true(await control.idle());
  t.deepEqual(statuses().slice(2), ['DELIVERED', 'TRANSIT']);
});

test('Shippo simulator lists, changes and deletes webhooks, and sends only subscribed events', async (t) => {
  const { control, shippo, number } = await bundleWithLabel(t);
  const { received, url } = await listener(t);

  const { objectId } = await shippo.webhooks.createWebhook({ event: 'all', url });
  t.is((await shippo.webhooks.listWebhooks()).results?.length, 1);
  await control.moveTrack(number, 'TRANSIT');
  await control.idle();
  t.is(received.length, 1);

  await shippo.webhooks.updateWebhook({ event: 'transaction_updated', url }, objectId ?? '');
  await control.moveTrack(number, 'DELIVERED');
  await control.idle();
  t.is(received.length, 1);

  await shippo.webhooks.deleteWebhook(objectId ?? '');
  t.deepEqual((await shippo.webhooks.listWebhooks()).results, []);
});

test("GET /tracks returns the documented statuses of Shippo's test numbers", async (t) => {
  const { simulator, open } = await shippoBundle();
  t.teardown(() => simulator.close());
  const { shippo } = open();

  const registered = await shippo.trackingStatus.create({
    carrier: 'shippo',
    trackingNumber: 'SHIPPO_TRANSIT',
    metadata: 'Order 1',
  });

  t.is(registered.trackingStatus?.status, 'TRANSIT');
  t.is((await shippo.trackingStatus.get('SHIPPO_TRANSIT', 'shippo')).metadata, 'Order 1');
  t.is((await shippo.trackingStatus.get('SHIPPO_RETURNED', 'shippo')).trackingStatus?.status, 'RETURNED');
  t.is((await shippo.trackingStatus.get('never-heard-of', 'usps')).trackingStatus, undefined);
});
