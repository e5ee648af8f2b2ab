import anyTest, { type TestFn } from 'ava';

import { followHint } from '#jobs/labels.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { promised } from '#test/support/promised.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { ports: { shipping: fakeShippingByStore().gateway } });

const event = { event: 'track_updated', test: true, data: { tracking_number: '92055', carrier: 'usps', tracking_status: { status: 'TRANSIT' } } };
const tell = ({ api, tenant }: ApiContext, token: string, body: unknown = event) =>
  api.call('POST', `/api/webhooks/shippo/${tenant.slug}?token=${encodeURIComponent(token)}`, { body });

test('what Shippo tells is stored and promised before it is answered', async (t) => {
  const { webhook_token: token } = await buildShippingAccount(t.context.ctx);
  t.like(await tell(t.context, token ?? ''), { status: 202, body: { ok: true, followed: true } });
  t.like(await tell(t.context, token ?? ''), { status: 202 });
  t.is((await promised(t.context.ctx, followHint)).length, 1);
  t.like(await tell(t.context, token ?? '', { event: 'batch_created', data: {} }), { status: 202, body: { followed: false } });
});

test('who does not know the token is not listened to', async (t) => {
  const { api, ctx, tenant } = t.context;
  t.is((await tell(t.context, 'anything')).status, 400, 'a store without an account');
  const { webhook_token: token } = await buildShippingAccount(ctx);
  for (const wrong of ['', 'wrong', `${token}x`, (token ?? '').slice(1)]) t.is((await tell(t.context, wrong)).status, 400, wrong);
  t.is((await api.call('POST', `/api/webhooks/shippo/${tenant.slug}`, { body: event })).status, 400);
  t.like(await api.call('POST', `/api/webhooks/shippo/nobody?token=${token}`, { body: event }), { status: 404, body: { error: 'unknown_tenant' } });
  t.deepEqual(await promised(ctx, followHint), []);
});

test('what cannot be read is refused', async (t) => {
  const { webhook_token: token } = await buildShippingAccount(t.context.ctx);
  t.like(await tell(t.context, token ?? '', '{"event":'), { status: 400, body: { error: 'invalid_json' } });
  t.like(await tell(t.context, token ?? '', { event: 'track_updated' }), { status: 400, body: { error: 'invalid_request' } });
  t.like(await tell(t.context, token ?? '', JSON.stringify({ ...event, filler: 'x'.repeat(600 * 1024) })), { status: 413, body: { error: 'payload_too_large' } });
});
