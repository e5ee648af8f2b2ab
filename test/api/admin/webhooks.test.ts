import anyTest, { type TestFn } from 'ava';

import { seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { countStates, receiverFor } from '#test/support/factories/webhooks.ts';
import { isSignedWith } from '#test/support/receiver.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = (anyTest as TestFn<OwnerContext>).serial;
useOwner(anyTest as TestFn<OwnerContext>);

test('POST /admin/webhook-endpoints returns the secret once, and the deliveries of a test are listed', async (t) => {
  const { ctx, owner, services } = t.context;
  const receiver = await receiverFor(t);
  const made = await owner.post('/webhook-endpoints', { url: receiver.url, events: ['order.*'], concurrency: 2 });
  t.is(made.status, 201);
  const { webhook_endpoint: endpoint, secret } = made.body;
  t.like(endpoint, { url: receiver.url, status: 'enabled', concurrency: 2, rate_per_second: null });

  const tested = await owner.post(`/webhook-endpoints/${endpoint.id}/test`);
  t.is(tested.status, 202);
  await runJobs(services);
  const [request] = receiver.requests;
  t.is(request?.body.type, 'webhook.test');
  t.true(request !== undefined && isSignedWith(secret, request));

  const {
    body: { deliveries },
  } = await owner.get(`/webhook-endpoints/${endpoint.id}/deliveries?state=delivered&type=webhook.test`);
  t.like(deliveries[0], { event_id: tested.body.event_id, state: 'delivered', attempt_count: 1, last_status: 204 });
  const { body } = await owner.get(`/webhook-deliveries/${deliveries[0].id}`);
  t.like(body.delivery, { id: deliveries[0].id });
  const version = request?.body.data.object_version;
  t.like(body.attempts[0], { number: 1, status: 204, object_version: version });
  t.is(body.request.url, receiver.url);
  t.is(body.request.headers['webhook-id'], tested.body.event_id);
  // The delivery itself moved the endpoint on, which is the object of this event.
  t.deepEqual(Object.keys(JSON.parse(body.request.body)), Object.keys(request?.body ?? {}));
  t.like(JSON.parse(body.request.body), { id: tested.body.event_id, type: 'webhook.test', tenant: ctx.tenant.slug });
  t.false(JSON.stringify([await auditOf(ctx), (await owner.get('/webhook-endpoints')).body]).includes(secret));
});

test('every change of an endpoint, up to its removal, has an audit entry', async (t) => {
  const { ctx, owner } = t.context;
  const receiver = await receiverFor(t);
  const {
    body: {
      webhook_endpoint: { id },
      secret,
    },
  } = await owner.post('/webhook-endpoints', { url: receiver.url, events: ['order.paid'] });
  const changed = await owner.patch(`/webhook-endpoints/${id}`, { events: ['order.shipped'], rate_per_second: 5 });
  t.like(changed.body.webhook_endpoint, { url: receiver.url, events: ['order.shipped'], rate_per_second: 5 });
  t.like((await owner.post(`/webhook-endpoints/${id}/disable`)).body.webhook_endpoint, {
    status: 'disabled',
    disabled_reason: 'owner',
  });
  t.is(resultOf(await owner.post(`/webhook-endpoints/${id}/test`)), '400 invalid_request');
  t.is((await owner.post(`/webhook-endpoints/${id}/enable`)).body.webhook_endpoint.status, 'enabled');
  const rotated = await owner.post(`/webhook-endpoints/${id}/rotate-secret`);
  t.regex(rotated.body.secret, /^whsec_/);
  t.not(rotated.body.secret, secret);
  t.deepEqual((await owner.delete(`/webhook-endpoints/${id}`)).body, { ok: true });
  t.is(resultOf(await owner.get(`/webhook-endpoints/${id}`)), '404 not_found');
  t.deepEqual(
    (await deedsOf(ctx)).map((deed) => deed.replace('webhook_endpoint.', '')),
    ['created', 'updated', 'disabled', 'enabled', 'secret_rotated', 'removed'],
  );
  t.false(JSON.stringify(await auditOf(ctx)).includes(rotated.body.secret));
});

test('failed deliveries are sent again, one or all of them', async (t) => {
  const { ctx, clock, owner, services } = t.context;
  const receiver = await receiverFor(t);
  const {
    body: {
      webhook_endpoint: { id },
    },
  } = await owner.post('/webhook-endpoints', { url: receiver.url, events: ['order.paid'] });
  const since = clock.now().toISOString();
  receiver.behave({ status: 500 });
  for (let count = 0; count < 2; count += 1) await owner.post(`/webhook-endpoints/${id}/test`);
  await runJobs(services);
  await owner.post(`/webhook-endpoints/${id}/disable`);
  await owner.post(`/webhook-endpoints/${id}/enable`);
  t.deepEqual(await countStates(ctx, id), { discarded: 2 });

  receiver.behave({ status: 204 });
  const [first] = (await owner.get(`/webhook-endpoints/${id}/deliveries`)).body.deliveries;
  const again = await owner.post(`/webhook-deliveries/${first.id}/redeliver`);
  t.is(again.status, 202);
  t.is(again.body.delivery.state, 'pending');
  await runJobs(services);
  const recovered = await owner.post(`/webhook-endpoints/${id}/recover`, { since });
  t.is(recovered.status, 202);
  t.deepEqual(recovered.body, { recovered: 1 });
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { delivered: 2 });
  t.deepEqual(placesOf(await owner.post(`/webhook-endpoints/${id}/recover`, {})), ['/since']);
  t.is((await pagesOf(owner, `/webhook-endpoints/${id}/deliveries?since=${since}`, 'deliveries')).flat().length, 2);
  await owner.post(`/webhook-endpoints/${id}/disable`);
  clock.pass(seconds(5));
  for (const [path, body] of [
    [`/webhook-deliveries/${first.id}/redeliver`, undefined],
    [`/webhook-endpoints/${id}/recover`, { since }],
  ] as const) {
    t.is(resultOf(await owner.post(path, body)), '400 invalid_request', 'it is switched off');
  }
});

test('a URL that may not be called or is in use, and unknown ids, are rejected', async (t) => {
  const { owner } = t.context;
  const receiver = await receiverFor(t);
  const endpoint = { url: receiver.url, events: ['order.paid'] };
  await owner.post('/webhook-endpoints', endpoint);
  t.deepEqual(placesOf(await owner.post('/webhook-endpoints', endpoint)), ['/url']);
  t.deepEqual(placesOf(await owner.post('/webhook-endpoints', { ...endpoint, url: 'https://a:b@shop.example/' })), [
    '/url',
  ]);
  t.deepEqual(placesOf(await owner.post('/webhook-endpoints', { ...endpoint, events: ['order.invented'] })), [
    '/events/0',
  ]);
  for (const verb of ['enable', 'disable', 'test', 'rotate-secret']) {
    t.is(resultOf(await owner.post(`/webhook-endpoints/${newId('whe')}/${verb}`)), '404 not_found', verb);
  }
  t.is(resultOf(await owner.get(`/webhook-endpoints/${newId('whe')}/deliveries`)), '404 not_found');
  t.is(resultOf(await owner.get(`/webhook-deliveries/${newId('whd')}`)), '404 not_found');
  t.is(resultOf(await owner.post(`/webhook-deliveries/${newId('whd')}/redeliver`)), '404 not_found');
});

test('endpoints are listed page by page, and event types with their schemas', async (t) => {
  const { owner } = t.context;
  const receiver = await receiverFor(t);
  for (const path of ['a', 'b', 'c'])
    await owner.post('/webhook-endpoints', { url: `${receiver.url}/${path}`, events: ['order.*'] });
  t.deepEqual(
    (await pagesOf(owner, '/webhook-endpoints', 'webhook_endpoints')).flat().map(({ url }) => url.slice(-1)),
    ['c', 'b', 'a'],
  );
  const { body } = await owner.get('/webhook-event-types');
  const paid = body.event_types.find(({ type }: any) => type === 'order.paid');
  t.is(paid.sample.data.object.order_number, 'ORD-1001');
  t.truthy(paid.schema.properties.data);
});
