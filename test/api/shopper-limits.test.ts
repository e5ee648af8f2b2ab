import anyTest, { type TestFn } from 'ava';
import { mailStaffLink as mailStaffLinkJob } from '#jobs/staff.ts';
import { read } from '#src/database/transact.ts';
import { mailStaffLink } from '#src/domain/staff/index.ts';
import { sql } from '#src/lib/sql.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildReturnableOrder } from '#test/support/factories/returns.ts';
import { bearer, buildSession } from '#test/support/factories/sessions.ts';
import { buildStaff } from '#test/support/factories/staff.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const { url: redisUrl } = await createTestRedis();
useApi(test, {
  ports: { payments: fakePaymentGateway() },
  environment: { RATE_LIMIT_SCALE: '1', TRUSTED_PROXY_HOPS: '1', REDIS_URL: redisUrl },
});

test('a signed-in customer is limited per customer, as one server may send requests for many', async (t) => {
  const { api, ctx } = t.context;
  const [ada, grace] = [await buildSession(ctx), await buildSession(ctx)];
  const refresh = async (token: string, times: number) => {
    const statuses: number[] = [];
    for (let count = 0; count < times; count += 1)
      statuses.push((await api.call('POST', '/api/v1/customer/refresh', { headers: bearer(token) })).status);
    return statuses;
  };
  t.deepEqual(new Set(await refresh(ada.token, 30)), new Set([200]));
  t.deepEqual(await refresh(ada.token, 1), [429]);
  t.deepEqual(await refresh(grace.token, 5), [200, 200, 200, 200, 200]);
});

interface Till {
  checkOut(body: object, address?: string): Promise<ApiResponse>;
  preview(path: string, body: object, address?: string): Promise<ApiResponse>;
}

async function openTill({ api, ctx }: ApiContext): Promise<Till> {
  await buildPaymentAccount(ctx);
  const key = await buildKey(ctx, ['checkout:write', 'cart:write'], 'publishable');
  const { slug } = await buildProduct(ctx);
  const post = (path: string, body: object, address = '203.0.113.7') =>
    api.call('POST', path, { key, body, headers: { 'x-forwarded-for': address } });
  return {
    checkOut: (body, address) =>
      post('/api/v1/checkout/sessions', { items: [{ product_slug: slug, quantity: 1 }], ...body }, address),
    preview: (path, body, address) => post(`/api/v1/cart/${path}`, body, address),
  };
}

const tally = (responses: readonly ApiResponse[]) =>
  Object.fromEntries(
    [...Map.groupBy(responses, ({ status, body }) => `${status} ${body.error ?? ''}`.trim())].map(([name, of]) => [
      name,
      of.length,
    ]),
  );

test('wrong gift-card codes at a checkout count against the preview, however many are tried at once', async (t) => {
  const till = await openTill(t.context);
  const wrong = await Promise.all(
    Array.from({ length: 25 }, (_, index) => till.checkOut({ gift_card_code: `WRONG-${index}` })),
  );
  t.deepEqual(tally(wrong), { '400 gift_card_not_applicable': 10, '429 rate_limited': 15 });
  const refused = wrong.find(({ status }) => status === 429);
  t.is(refused?.headers.get('retry-after'), String(refused?.body.retry_after));
  t.is((await till.preview('apply-gift-card', { code: 'WRONG-99', orderTotal: 100 })).status, 429);
  t.is((await till.checkOut({}, '203.0.113.7')).status, 200, 'whoever names no code buys on');
  t.is(
    (await till.checkOut({ gift_card_code: 'WRONG-99' }, '203.0.113.8')).status,
    400,
    'another client is counted for itself',
  );
});

test('wrong promo codes at a checkout and in the preview are counted together', async (t) => {
  const till = await openTill(t.context);
  for (let index = 0; index < 10; index += 1) {
    t.is((await till.preview('apply-promo', { code: `WRONG-${index}`, subtotalCents: 100 })).status, 200);
  }
  const wrong = await Promise.all(
    Array.from({ length: 15 }, (_, index) => till.checkOut({ promo_code: `WRONG-${index}` })),
  );
  t.deepEqual(tally(wrong), { '400 promo_not_applicable': 10, '429 rate_limited': 5 });
});

test('a valid code is not counted, nor one that was not checked because of an earlier error', async (t) => {
  const till = await openTill(t.context);
  await buildPromo(t.context.ctx, { code: 'WELCOME10', value: 10 });
  const { code } = await buildGiftCard(t.context.ctx, { balanceCents: 50_000 });
  for (let index = 0; index < 12; index += 1) {
    t.is((await till.checkOut({ promo_code: 'WELCOME10', gift_card_code: code })).status, 200);
    t.is(
      (await till.checkOut({ gift_card_code: 'WRONG', items: [{ product_slug: 'no-such-bowl', quantity: 1 }] })).body
        .error,
      'unknown_product',
    );
  }
  const { headers } = await till.preview('apply-gift-card', { code, orderTotal: 100 });
  t.is(headers.get('ratelimit-remaining'), '9');
});

test('wrong emails of an order in a return count against its look-up, and right ones do not', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { order_number: orderNumber, customer, items } = await buildReturnableOrder(ctx);
  const client = (last: number) => ({ 'x-forwarded-for': `203.0.113.${last}` });
  const item = { order_item_id: items[0]?.id, quantity: 999 };
  const requestReturn = (email: string, last = 20) =>
    api.call('POST', '/api/v1/returns', {
      tenant: tenant.slug,
      headers: client(last),
      body: { order_number: orderNumber, email, items: [item] },
    });
  const readOrder = (email: string) =>
    api.call('GET', `/api/v1/orders/lookup?order_number=${orderNumber}&email=${email}`, {
      tenant: tenant.slug,
      headers: client(20),
    });
  t.is((await requestReturn(customer.email ?? '')).body.error, 'return_not_allowed');
  for (let count = 0; count < 3; count += 1) t.is((await requestReturn(`eve${count}@example.com`)).status, 404);
  t.is((await readOrder('eve@example.com')).headers.get('ratelimit-remaining'), '16');
  for (let count = 0; count < 16; count += 1) await readOrder(`mallory${count}@example.com`);
  t.is((await requestReturn('trent@example.com')).status, 429);
  t.is((await requestReturn('trent@example.com', 21)).status, 404, 'another client is counted for itself');
});

test('a client gets five links an hour for the address of a member, and all clients together twenty', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { email } = await buildStaff(ctx);
  const mailedAfter = async (client: string) => {
    for (let count = 0; count < 7; count += 1)
      await api.call('POST', '/api/v1/admin/sign-in/request', {
        tenant: tenant.slug,
        headers: { 'x-forwarded-for': client },
        body: { email },
      });
    for (const payload of await enqueuedJobs(ctx, mailStaffLinkJob)) await mailStaffLink(ctx, payload);
    const rows = await read(
      ctx,
      sql`select from staff_links where tenant_id = ${tenant.id} and email = ${email} and outcome = 'mailed'`,
    );
    return rows.length;
  };
  const mailed: number[] = [];
  for (const host of [1, 2, 3, 4, 5]) mailed.push(await mailedAfter(`198.51.100.${host}`));
  t.deepEqual(mailed, [5, 10, 15, 20, 20]);
});
