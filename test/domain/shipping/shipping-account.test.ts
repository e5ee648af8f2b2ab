import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  checkSecondShippingAccount,
  checkShippingAccount,
  ShippingAccountInput,
  type ShippingOptions,
  saveSecondShippingAccount,
  saveShippingAccount,
  secondShippingCredentials,
  shippingCredentials,
  shippingOptionsOf,
} from '#src/domain/shipping/index.ts';
import { pauseLabels } from '#src/domain/shipping/pause-labels.ts';
import { openAccount } from '#src/domain/shipping/shipping-account.ts';
import { DomainError, type ProviderError } from '#src/lib/errors.ts';
import { createKeyring } from '#src/lib/keyring.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { createEasypostConnection } from '#src/providers/easypost/easypost-connection.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildShippingAccount, shippingAccountInput } from '#test/support/factories/shipping.ts';
import { busy, denial, fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { interleave } from '#test/support/interleave.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('saveShippingAccount saves an account once and reports the changed fields', async (t) => {
  const { ctx } = t.context;
  const input = shippingAccountInput();
  const save = (changes: Partial<typeof input> = {}) =>
    transact(ctx, (ctx) => saveShippingAccount(ctx, { ...input, ...changes }));
  t.deepEqual(await save(), { subject: 'shipping', action: 'created', fields: [] });
  t.like(await save(), { subject: 'shipping', action: 'unchanged', fields: [] });
  t.like(await save({ carriers: ['fedex'], label_cost_cap_cents: 900 }), {
    subject: 'shipping',
    action: 'updated',
    fields: only('carriers', 'label_cost_cap_cents'),
  });
  t.deepEqual(
    (await save({ carriers: ['fedex'], label_cost_cap_cents: 900, api_key: 'another key', webhook_token: null }))
      .fields,
    ['api_key', 'webhook_token'],
  );
});

test('shipping credentials whose encryption key is lost are replaced after a confirmation, as others are', async (t) => {
  const { ctx } = t.context;
  const input = shippingAccountInput();
  const second = { provider: 'easypost', api_key: 'EZTKfirst' } as const;
  await transact(ctx, (ctx) => saveShippingAccount(ctx, input));
  await transact(ctx, (ctx) => saveSecondShippingAccount(ctx, second));
  const later = { ...ctx, keyring: createKeyring([['k9', randomBytes(32)]]) };
  const replaced = await transact(later, async (ctx) => [
    ...Object.keys(await shippingCredentials(input).replaced(ctx)),
    ...Object.keys(await secondShippingCredentials(second).replaced(ctx)),
  ]);
  t.deepEqual(replaced, ['api_key', 'webhook_token', 'api_key']);
});

test.serial(
  'saveShippingAccount while an attempt pauses labels saves the settings, and labels are paused',
  async (t) => {
    const { services } = t.context;
    for (let step = 1, isReached = true; isReached; step += 1) {
      const ctx = { ...services.context(), tenant: await buildTenant(services) };
      const input = await buildShippingAccount(ctx);
      const account = await openAccount(ctx);
      if (!account) throw new Error('The store has no account.');
      const pause = () => pauseLabels(ctx, account);
      const save = () => transact(ctx, (ctx) => saveShippingAccount(ctx, { ...input, label_cost_cap_cents: 900 }));
      isReached = await interleave(services, step, save, pause);
      if (!isReached) await pause();
      t.deepEqual(
        await readOne(
          ctx,
          sql`
        select label_cost_cap_cents::int as cap, paused_at is not null as "isPaused" from shipping_accounts
        where tenant_id = ${ctx.tenant.id}`,
        ),
        { cap: 900, isPaused: true },
        `before statement ${step}`,
      );
    }
  },
);

test('saveShippingAccount rejects an option that the payment provider cannot charge', async (t) => {
  const ctx = { ...t.context.ctx, tenant: { ...t.context.ctx.tenant, currency: 'ISK' } };
  const save = (cents: number) =>
    transact(ctx, (ctx) =>
      saveShippingAccount(ctx, shippingAccountInput({ options: [{ name: 'Post', amount_cents: cents }] })),
    );
  await t.throwsAsync(save(80_050), { instanceOf: DomainError, code: 'invalid_request' });
  t.is((await save(80_000)).action, 'created');
});

test('saveShippingAccount seals keys and tokens', async (t) => {
  const { ctx } = t.context;
  const input = shippingAccountInput();
  await transact(ctx, (ctx) => saveShippingAccount(ctx, input));
  await transact(ctx, (ctx) => saveSecondShippingAccount(ctx, { provider: 'easypost', api_key: 'EZTK-secret' }));
  const row = await readOne<object>(
    ctx,
    sql`
    select to_json(a) as first, to_json(b) as second from shipping_accounts a, second_shipping_accounts b
    where a.tenant_id = ${ctx.tenant.id} and b.tenant_id = ${ctx.tenant.id}`,
  );
  const text = JSON.stringify(row);
  for (const secret of [input.api_key, input.webhook_token ?? '', 'EZTK-secret']) t.false(text.includes(secret));
});

test("shippingOptionsOf selects the options of the store's settings", async (t) => {
  const { ctx } = t.context;
  const read = async () =>
    (await readOne<{ options: ShippingOptions | null }>(ctx, sql`select ${shippingOptionsOf(ctx)} as options`))
      ?.options;
  t.is(await read(), null);
  await transact(ctx, (ctx) => saveShippingAccount(ctx, shippingAccountInput()));
  t.deepEqual(await read(), {
    countries: ['US', 'CA', 'GB'],
    options: [
      { name: 'Standard', amountCents: 599, freeOverCents: 7500 },
      { name: 'Express', amountCents: 1499, freeOverCents: null },
    ],
  });
});

test("a store file's shipping section is checked field by field", (t) => {
  const { carriers: _, countries: __, options: ___, ...least } = shippingAccountInput();
  t.deepEqual(issuesOf(ShippingAccountInput, structuredClone(least)), []);
  for (const wrong of [
    { provider: 'pigeon' },
    { carriers: ['USPS'] },
    { countries: ['usa'] },
    { parcel: { ...least.parcel, height_in: 0 } },
    { webhook_token: '' },
  ]) {
    t.true(issuesOf(ShippingAccountInput, { ...least, ...wrong }).length > 0, JSON.stringify(wrong));
  }
});

test('saving a shipping account rejects keys of another environment or kind, and names the field', async (t) => {
  const shipping = fakeShippingGateway();
  const ctx = { ...t.context.ctx, ports: { ...t.context.ctx.ports, shipping } };
  const live = { ...ctx, settings: { ...ctx.settings, appMode: 'live' as const } };
  const save = (ctx: Context, given: object) =>
    transact(ctx, (ctx) => saveShippingAccount(ctx, shippingAccountInput(given)));
  const saveSecond = (ctx: Context, { api_key }: { api_key: string }) =>
    transact(ctx, (ctx) => saveSecondShippingAccount(ctx, { provider: 'easypost', api_key }));
  const issueOf = async (saving: Promise<unknown>) => {
    const error = await t.throwsAsync(saving, { instanceOf: DomainError, code: 'invalid_request' });
    const [{ path, code, detail }] = (error?.extensions['errors'] ?? []) as unknown as [
      { path: string; code: string; detail: string },
    ];
    return `${path} ${code}: ${detail}`;
  };
  const isLive = '/api_key wrong_environment: is a live key, and here is the test environment';
  const isTest = '/api_key wrong_environment: is a test key, and here is the live environment';
  t.is(await issueOf(save(ctx, { api_key: 'shippo_live_abc' })), isLive);
  t.is(await issueOf(save(live, { api_key: 'shippo_test_abc' })), isTest);
  t.is(await issueOf(saveSecond(ctx, { api_key: 'EZAKabc' })), isLive);
  t.is(await issueOf(saveSecond(live, { api_key: 'EZTKabc' })), isTest);
  t.regex(await issueOf(save(ctx, { api_key: 'sk_test_abc' })), /^\/api_key wrong_kind/);
  t.regex(await issueOf(saveSecond(ctx, { api_key: 'shippo_test_abc' })), /^\/api_key wrong_kind/);
  for (const field of ['api_key', 'webhook_token', 'webhook_secret']) {
    for (const key of [' ', 'shippo_test_abc '])
      t.regex(await issueOf(save(ctx, { [field]: key })), new RegExp(`^/${field} whitespace`));
  }

  await save(ctx, { api_key: 'shippo_test_abc' });
  t.deepEqual(await checkShippingAccount(live), {
    ok: false,
    detail: 'This is a test key, and here is the live environment.',
  });
  t.deepEqual(shipping.calls, []);
  await save(live, { api_key: 'shippo_live_abc' });
  t.like(await checkShippingAccount(live), { ok: true });
  await save(ctx, { api_key: 'an.oauth.token', webhook_token: 'my_live_token' });
  t.like(await checkShippingAccount(ctx), { ok: true });
});

test('checkShippingAccount checks the key at the provider', async (t) => {
  const shipping = fakeShippingGateway();
  const ctx = { ...t.context.ctx, ports: { ...t.context.ctx.ports, shipping } };
  await t.throwsAsync(checkShippingAccount(ctx), { instanceOf: DomainError, code: 'not_found' });
  await transact(ctx, (ctx) => saveShippingAccount(ctx, shippingAccountInput()));
  t.like(await checkShippingAccount(ctx), { ok: true });
  const failingWith = (error: ProviderError) => ({
    ...ctx,
    ports: { ...ctx.ports, shipping: { ...shipping, checkAccount: () => Promise.reject(error) } },
  });
  t.deepEqual(await checkShippingAccount(failingWith(denial())), {
    ok: false,
    detail: 'The provider does not accept the key.',
  });
  t.deepEqual(await checkShippingAccount(failingWith(busy())), {
    ok: false,
    detail: 'The provider has had too many requests. Check again in a minute.',
  });
});

test('the second provider is stored and checked', async (t) => {
  const server = createServer((request, response) => {
    const [, user] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    response.statusCode = Buffer.from(user ?? '', 'base64').toString() === 'EZTK-right:' ? 200 : 401;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ctx = {
    ...t.context.ctx,
    ports: { ...t.context.ctx.ports, secondShipping: createEasypostConnection({ baseUrl, log: silentLog }) },
  };
  const save = (api_key: string) =>
    transact(ctx, (ctx) => saveSecondShippingAccount(ctx, { provider: 'easypost', api_key }));

  await t.throwsAsync(checkSecondShippingAccount(ctx), { instanceOf: DomainError, code: 'not_found' });
  t.is((await save('EZTK-wrong')).action, 'created');
  t.is((await checkSecondShippingAccount(ctx)).ok, false);
  t.like(await save('EZTK-right'), { subject: 'second_shipping', action: 'updated', fields: only('api_key') });
  t.is((await save('EZTK-right')).action, 'unchanged');
  t.deepEqual(await checkSecondShippingAccount(ctx), {
    ok: true,
    detail: 'The provider accepts the key.',
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  t.deepEqual(await checkSecondShippingAccount(ctx), {
    ok: false,
    detail: 'The provider did not respond.',
  });
});
