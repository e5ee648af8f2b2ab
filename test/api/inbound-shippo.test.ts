import { createHmac } from 'node:crypto';

import anyTest, { type TestFn } from 'ava';

import { processNotification } from '#jobs/labels.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { ports: { shipping: fakeShippingByStore().gateway } });

const event = {
  event: 'track_updated',
  test: true,
  data: { tracking_number: '92055', carrier: 'usps', tracking_status: { status: 'TRANSIT' } },
};
const notify = ({ api, tenant }: ApiContext, token: string, body: unknown = event) =>
  api.call('POST', `/api/webhooks/shippo/${tenant.slug}?token=${encodeURIComponent(token)}`, { body });

test('a Shippo webhook is stored and its job enqueued before the response', async (t) => {
  const { webhook_token: token } = await buildShippingAccount(t.context.ctx);
  t.like(await notify(t.context, token ?? ''), { status: 202, body: { ok: true, followed: true } });
  t.like(await notify(t.context, token ?? ''), { status: 202 });
  t.is((await enqueuedJobs(t.context.ctx, processNotification)).length, 1);
  t.like(await notify(t.context, token ?? '', { event: 'batch_created', data: {} }), {
    status: 202,
    body: { followed: false },
  });
});

test('a Shippo webhook with a wrong token is rejected', async (t) => {
  const { api, ctx, tenant } = t.context;
  t.is((await notify(t.context, 'anything')).status, 400, 'a store without an account');
  const { webhook_token: token } = await buildShippingAccount(ctx);
  for (const wrong of ['', 'wrong', `${token}x`, (token ?? '').slice(1)])
    t.is((await notify(t.context, wrong)).status, 400, wrong);
  t.is((await api.call('POST', `/api/webhooks/shippo/${tenant.slug}`, { body: event })).status, 400);
  t.like(await api.call('POST', `/api/webhooks/shippo/nobody?token=${token}`, { body: event }), {
    status: 404,
    body: { error: 'unknown_tenant' },
  });
  t.deepEqual(await enqueuedJobs(ctx, processNotification), []);
});

test('where a store has a signing secret, a Shippo webhook that is not signed with it is rejected', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { webhook_token: token } = await buildShippingAccount(ctx, { webhook_secret: 'a secret of Shippo' });
  const body = JSON.stringify(event);
  const now = Math.floor(Date.now() / 1000);
  const sign = (at: number, secret = 'a secret of Shippo') =>
    `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
  const send = async (signature: string | undefined, address = `?token=${token}`) => {
    const headers = { 'content-type': 'application/json', ...(signature && { 'shippo-auth-signature': signature }) };
    return (await api.call('POST', `/api/webhooks/shippo/${tenant.slug}${address}`, { body, headers })).status;
  };
  for (const wrong of [undefined, 't=1', sign(now, 'another'), sign(now - 600), sign(now + 600), `${sign(now)}0`])
    t.is(await send(wrong), 400, wrong);
  t.is(await send(sign(now), '?token=wrong'), 400, 'the token is wanted as well');
  t.deepEqual(await enqueuedJobs(ctx, processNotification), []);
  t.is(await send(sign(now)), 202);
  t.is(await send(sign(now - 200)), 202);
});

test('a store may have a signing secret and no token', async (t) => {
  const { api, ctx, tenant } = t.context;
  await buildShippingAccount(ctx, { webhook_secret: 'a secret of Shippo', webhook_token: null });
  const body = JSON.stringify(event);
  const at = Math.floor(Date.now() / 1000);
  const signature = `t=${at},v1=${createHmac('sha256', 'a secret of Shippo').update(`${at}.${body}`).digest('hex')}`;
  const send = (headers: Record<string, string>) =>
    api.call('POST', `/api/webhooks/shippo/${tenant.slug}`, {
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  t.is((await send({ 'shippo-auth-signature': signature })).status, 202);
  t.is((await send({})).status, 400);
});

test('a Shippo webhook with an unreadable body is rejected', async (t) => {
  const { webhook_token: token } = await buildShippingAccount(t.context.ctx);
  t.like(await notify(t.context, token ?? '', '{"event":'), { status: 400, body: { error: 'invalid_json' } });
  t.like(await notify(t.context, token ?? '', { event: 'track_updated' }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  t.like(await notify(t.context, token ?? '', JSON.stringify({ ...event, filler: 'x'.repeat(600 * 1024) })), {
    status: 413,
    body: { error: 'payload_too_large' },
  });
});
