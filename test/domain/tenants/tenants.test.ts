import { randomBytes } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import { asPlatform, runOnPlatformTables, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { takeOrderNumber } from '#src/domain/orders/index.ts';
import { hashKey, hintOf, newKey, parseKey, publishableScopes, scopes } from '#src/domain/tenants/api-key.ts';
import {
  covers,
  deriveToken,
  issueKey,
  listKeys,
  listTenants,
  readSessionSecret,
  revokeKey,
  rotateSessionSecret,
  type StoreInput,
  saveKey,
  saveTenant,
  setModules,
} from '#src/domain/tenants/index.ts';
import type { KeyToIssue } from '#src/domain/tenants/manage-keys.ts';
import { randomText } from '#src/lib/crypto.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { importMany } from '#test/support/factories/imports.ts';
import { buildGiftCard } from '#test/support/factories/promotions.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const newStore = (): StoreInput => ({
  slug: `store-${randomText(8)}`,
  name: 'Cedar & Clay',
  owner_email: 'Owner@Cedar.example',
  currency: 'USD',
  storefront_url: 'https://shop.cedar.example/',
});

const saveStore = ({ services }: TestContext, input: StoreInput) =>
  asPlatform(services.context(), 'a test saves a store', (ctx) => saveTenant(ctx, input));

test('saveTenant creates a store with defaults and a secret of its own', async (t) => {
  const { services } = t.context;
  const input = newStore();
  const { tenant, change } = await saveStore(t.context, input);
  t.deepEqual(change, { subject: `store ${input.slug}`, action: 'created', fields: [] });
  t.deepEqual(await services.tenants.bySlug(input.slug), tenant);
  t.like(tenant, {
    ownerEmail: 'owner@cedar.example',
    locale: 'en-US',
    storefrontUrl: 'https://shop.cedar.example',
    magicLinkPath: '/account/sign-in',
    restorePath: '/cart/restore',
    allowedOrigins: only('*'),
    mailFrom: null,
  });
  t.deepEqual(tenant.modules, { customer_accounts: false, subscriptions: true, gift_cards: true, reviews: true });
  const { number, secret } = await readSessionSecret({ ...services.context(), tenant });
  t.is(number, 1);
  t.true(secret.length >= 48);
});

test('saving the same again changes nothing; what differs is named', async (t) => {
  const input = newStore();
  const { tenant } = await saveStore(t.context, input);
  t.deepEqual(await saveStore(t.context, input), {
    tenant,
    change: { subject: `store ${input.slug}`, action: 'unchanged', fields: [] },
  });
  const changed = await saveStore(t.context, { ...input, owner_email: 'new@cedar.example', theme: { accent: '#000' } });
  t.deepEqual(changed.change.fields, ['owner_email', 'theme']);
  t.is(changed.tenant.version, tenant.version + 1);
  t.is(changed.tenant.id, tenant.id);
});

test('what a file leaves out goes back to its default', async (t) => {
  const input = newStore();
  await saveStore(t.context, { ...input, mail_from: 'shop@cedar.example', magic_link_path: '/login' });
  const { tenant, change } = await saveStore(t.context, input);
  t.deepEqual(change.fields, ['magic_link_path', 'mail_from']);
  t.deepEqual([tenant.mailFrom, tenant.magicLinkPath], [null, '/account/sign-in']);
});

test('a store that is saved twice at once is one store', async (t) => {
  const input = newStore();
  const saved = await Promise.all([
    saveStore(t.context, input),
    saveStore(t.context, input),
    saveStore(t.context, input),
  ]);
  t.is(new Set(saved.map(({ tenant }) => tenant.id)).size, 1);
  t.deepEqual(saved.map(({ change }) => change.action).toSorted(), ['created', 'unchanged', 'unchanged']);
});

for (const [what, make] of [
  ['an order', (ctx) => takeOrderNumber(ctx)],
  ['an imported order', (ctx) => importMany(ctx, 'orders', 1)],
  ['a gift card', (ctx) => buildGiftCard(ctx)],
] satisfies [string, (ctx: Context) => Promise<unknown>][])
  test(`a store may change its currency until it has ${what}`, async (t) => {
    const { services } = t.context;
    const input = newStore();
    await saveStore(t.context, input);
    const { tenant } = await saveStore(t.context, { ...input, currency: 'EUR' });
    t.is(tenant.currency, 'EUR');
    await make({ ...services.context(), tenant });
    const message = 'A store that has orders or gift cards keeps its currency.';
    await t.throwsAsync(saveStore(t.context, { ...input, currency: 'USD' }), { instanceOf: DomainError, message });
  });

test('order numbers begin at 1001 and rise, also for concurrent orders', async (t) => {
  const { tenant } = await saveStore(t.context, newStore());
  const ctx = { ...t.context.services.context(), tenant };
  const numbers = await Promise.all(Array.from({ length: 10 }, () => takeOrderNumber(ctx)));
  t.deepEqual(
    numbers.toSorted((left, right) => left - right),
    Array.from({ length: 10 }, (_, index) => 1001 + index),
  );
});

test('setModules switches one module and leaves the others', async (t) => {
  const { services } = t.context;
  const { tenant } = await saveStore(t.context, newStore());
  const ctx = { ...services.context(), tenant };
  const change = await transact(ctx, (ctx) => setModules(ctx, { reviews: false }));
  t.deepEqual(change, {
    subject: `modules of ${tenant.slug}`,
    action: 'updated',
    fields: ['reviews'],
    values: { reviews: [true, false] },
  });
  const [saved] = (await listTenants(services.context())).filter(({ id }) => id === tenant.id);
  t.deepEqual(saved?.modules, { customer_accounts: false, subscriptions: true, gift_cards: true, reviews: false });

  t.is((await transact(ctx, (ctx) => setModules(ctx, { reviews: false }))).action, 'unchanged');
});

test('setModules applies two concurrent switches', async (t) => {
  const { ctx, services, tenant } = t.context;
  const off = (module: 'reviews' | 'gift_cards') => transact(ctx, (ctx) => setModules(ctx, { [module]: false }));
  await Promise.all([off('reviews'), off('gift_cards')]);
  const saved = (await listTenants(services.context())).find(({ id }) => id === tenant.id);
  t.deepEqual([saved?.modules.reviews, saved?.modules.gift_cards, saved?.modules.subscriptions], [false, false, true]);
});

test('takeOrderNumber does not wait for a transaction that saves the store', async (t) => {
  const { services } = t.context;
  const input = newStore();
  const { tenant } = await saveStore(t.context, input);
  const number = await asPlatform(services.context(), 'a test saves a store', async (ctx) => {
    await saveTenant(ctx, { ...input, name: 'Cedar & Daughters' });
    return takeOrderNumber({ ...services.context(), tenant });
  });
  t.is(number, 1001);
});

test('saveTenant leaves the modules of a store unchanged', async (t) => {
  const input = newStore();
  const { tenant } = await saveStore(t.context, input);
  await transact({ ...t.context.services.context(), tenant }, (ctx) => setModules(ctx, { subscriptions: false }));
  const saved = await saveStore(t.context, { ...input, name: 'Cedar' });
  t.false(saved.tenant.modules.subscriptions);
});

test('rotateSessionSecret changes the number of the secret and its tokens', async (t) => {
  const { ctx } = t.context;
  const before = { secret: await readSessionSecret(ctx), token: await deriveToken(ctx, 'cart.restore', 'scart_1') };
  t.is(await deriveToken(ctx, 'cart.restore', 'scart_1'), before.token, 'until then a token is the same each time');
  await transact(ctx, rotateSessionSecret);
  const after = await readSessionSecret(ctx);
  t.is(after.number, before.secret.number + 1);
  t.not(after.secret, before.secret.secret);
  t.not(await deriveToken(ctx, 'cart.restore', 'scart_1'), before.token);
});

test("a store's sealed secret cannot be opened for another store", async (t) => {
  const { ctx, services } = t.context;
  const sealed = services.context().keyring.seal(ctx.tenant.id, 'session_secret', 'hush');
  t.throws(() => services.context().keyring.open('ten_other', 'session_secret', sealed));
});

test('newKey writes kind and environment into the key, and parseKey reads them', (t) => {
  t.regex(newKey('secret', 'live'), /^sk_[0-9a-z]{38}$/);
  t.regex(newKey('secret', 'test'), /^sk_test_[0-9a-z]{38}$/);
  t.regex(newKey('publishable', 'live'), /^pk_[0-9a-z]{38}$/);
  t.regex(newKey('publishable', 'test'), /^pk_test_[0-9a-z]{38}$/);
  t.deepEqual(parseKey(newKey('publishable', 'test')), { kind: 'publishable', mode: 'test' });
  t.deepEqual(parseKey(newKey('secret', 'live')), { kind: 'secret', mode: 'live' });
});

test('newKey returns another key each time', (t) => {
  t.is(new Set(Array.from({ length: 1000 }, () => newKey('secret', 'test'))).size, 1000);
});

test('parseKey rejects a key with one mistyped character', (t) => {
  const key = newKey('secret', 'test');
  for (let index = 0; index < key.length; index += 1) {
    const mistyped = key.slice(0, index) + (key[index] === '0' ? '1' : '0') + key.slice(index + 1);
    t.is(parseKey(mistyped), undefined, mistyped);
  }
  t.is(parseKey(key.slice(0, -1)), undefined);
  t.is(parseKey(`${key}0`), undefined);
});

test('parseKey rejects a key whose prefix was changed', (t) => {
  t.is(parseKey(newKey('secret', 'test').replace('sk_test_', 'sk_')), undefined);
  t.is(parseKey(newKey('publishable', 'live').replace('pk_', 'sk_')), undefined);
});

test('hashKey depends on the pepper of the installation', (t) => {
  const key = newKey('secret', 'test');
  const pepper = randomBytes(32);
  t.deepEqual(hashKey(pepper, key), hashKey(pepper, key));
  t.notDeepEqual(hashKey(pepper, key), hashKey(randomBytes(32), key));
  t.is(hashKey(pepper, key).length, 32);
});

test('hintOf shows the prefix and the last characters of a key', (t) => {
  const key = newKey('secret', 'test');
  t.is(hintOf(key), `sk_test_…${key.slice(-4)}`);
});

test('covers lets a write scope read, but not the reverse', (t) => {
  t.true(covers(['orders:write'], 'orders:read'));
  t.true(covers(['orders:write'], 'orders:write'));
  t.true(covers(['orders:read'], 'orders:read'));
  t.false(covers(['orders:read'], 'orders:write'));
});

test('covers lets a scope of the owner reach every area, and the scope of an area only that', (t) => {
  t.true(covers(['admin:write'], 'admin.orders:read'));
  t.true(covers(['admin:write'], 'admin.refunds:write'));
  t.true(covers(['admin:read'], 'admin.orders:read'));
  t.false(covers(['admin:read'], 'admin.orders:write'));
  t.true(covers(['admin.labels:write'], 'admin.labels:read'));
  t.false(covers(['admin.labels:write'], 'admin.refunds:write'));
  t.false(covers(['admin.orders:write'], 'admin:write'));
  t.false(covers(['admin.orders:write'], 'orders:read'));
  t.false(covers(['orders:write'], 'admin.orders:read'));
});

test('covers lets no scope, admin included, reach another resource', (t) => {
  t.false(covers(['orders:write'], 'customers:read'));
  t.false(covers(['admin:write'], 'orders:read'));
  t.false(covers([], 'products:read'));
});

const backend: KeyToIssue = { name: 'backend', kind: 'secret', scopes: ['orders:read'], expiresAt: null };

const issue = (ctx: Context, key: Partial<KeyToIssue> = {}) =>
  transact(ctx, (ctx) => issueKey(ctx, { ...backend, ...key }));

const save = (ctx: Context, key: Partial<KeyToIssue> = {}) =>
  transact(ctx, (ctx) => saveKey(ctx, { ...backend, ...key }));

const revoke = (ctx: Context, id: string) => transact(ctx, (ctx) => revokeKey(ctx, { id }));

test('a key opens its own store with the scopes that it was given', async (t) => {
  const { ctx, services, tenant } = t.context;
  const { key, value } = await issue(ctx);
  t.deepEqual(await services.keys.open(value), {
    id: key.id,
    tenantId: tenant.id,
    kind: 'secret',
    scopes: ['orders:read'],
    requestsPerMinute: null,
  });
});

test('the characters of a key are nowhere in the database', async (t) => {
  const { ctx } = t.context;
  const { key, value } = await issue(ctx);
  const [row] = await runOnPlatformTables<{ row: string }>(
    ctx,
    sql`select k::text as row from api_keys k where id = ${key.id}`,
  );
  t.false(row?.row.includes(value));
  t.false(row?.row.includes(value.slice(8, 30)));
  t.false(row?.row.includes(Buffer.from(value).toString('hex')));
});

test('a key that was never issued is rejected', async (t) => {
  await t.throwsAsync(t.context.services.keys.open(newKey('secret', 'test')), {
    instanceOf: DomainError,
    code: 'invalid_key',
  });
  await t.throwsAsync(t.context.services.keys.open('sk_test_mistyped'), {
    instanceOf: DomainError,
    code: 'invalid_key',
  });
});

test('a live key is rejected in the test environment', async (t) => {
  await t.throwsAsync(t.context.services.keys.open(newKey('secret', 'live')), {
    instanceOf: DomainError,
    code: 'wrong_environment',
  });
});

test.serial('a revoked key stops working within five seconds, though it was in use', async (t) => {
  const { ctx, clock, services } = t.context;
  const { key, value } = await issue(ctx);
  await services.keys.open(value);
  const { revokedAt } = await revoke(ctx, key.id);
  t.truthy(revokedAt);

  clock.pass(seconds(5));
  await t.throwsAsync(services.keys.open(value), { instanceOf: DomainError, code: 'revoked_key' });
});

test.serial('a revoked key stops working within five seconds, though the clock was set back an hour', async (t) => {
  const { ctx, clock, services } = t.context;
  const { key, value } = await issue(ctx);
  await services.keys.open(value);
  await revoke(ctx, key.id);

  clock.pass(-hours(1));
  try {
    await services.keys.open(value);
    clock.pass(seconds(5));
    await t.throwsAsync(services.keys.open(value), { instanceOf: DomainError, code: 'revoked_key' });
  } finally {
    clock.pass(hours(1));
  }
});

test('revoking a key twice is revoking it once', async (t) => {
  const { ctx } = t.context;
  const { key } = await issue(ctx);
  const first = await revoke(ctx, key.id);
  t.deepEqual(await revoke(ctx, key.id), first);
});

test('another store cannot revoke a key, nor see it', async (t) => {
  const { ctx, services } = t.context;
  const { key, value } = await issue(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  await t.throwsAsync(revoke(otherStore, key.id), { instanceOf: DomainError, code: 'not_found' });
  t.deepEqual((await listKeys(otherStore)).rows, []);
  await t.notThrowsAsync(services.keys.open(value));
});

test.serial('a key stops working when it expires, although it is cached', async (t) => {
  const { ctx, services, clock } = t.context;
  const { value } = await issue(ctx, { expiresAt: new Date(clock.now().getTime() + minutes(5)) });
  await services.keys.open(value);
  clock.pass(minutes(5));
  await t.throwsAsync(services.keys.open(value), { instanceOf: DomainError, code: 'expired_key' });
});

test('a publishable key may hold no more than a shopper may do', async (t) => {
  const { ctx } = t.context;
  for (const scope of scopes) {
    const key = { name: scope, kind: 'publishable', scopes: [scope] } as const;
    if (publishableScopes.includes(scope)) await t.notThrowsAsync(issue(ctx, key), scope);
    else await t.throwsAsync(issue(ctx, key), { instanceOf: DomainError, code: 'invalid_request' }, scope);
  }
});

test('saveKey rejects an expiry in the past and leaves a key that has expired since unchanged', async (t) => {
  const { ctx } = t.context;
  const now = ctx.clock.now().getTime();
  const wanted = (name: string, expiresAt: number) =>
    ({ name, kind: 'secret', scopes: ['orders:read'], expiresAt: new Date(expiresAt) }) as const;
  const past = { message: 'expires_at must be in the future.' };
  await t.throwsAsync(
    transact(ctx, (ctx) => issueKey(ctx, wanted('till', now - 1000))),
    past,
  );
  await t.throwsAsync(
    transact(ctx, (ctx) => saveKey(ctx, wanted('till', now))),
    past,
  );
  await transact(ctx, (ctx) => saveKey(ctx, wanted('till', now + 60_000)));
  const later = { ...ctx, clock: { ...ctx.clock, now: () => new Date(now + 120_000) } };
  const { change } = await transact(later, (ctx) => saveKey(ctx, wanted('till', now + 60_000)));
  t.is(change.action, 'unchanged');
  await t.throwsAsync(
    transact(later, (ctx) => saveKey(ctx, wanted('till', now + 90_000))),
    past,
  );
});

test('a name of a key is taken until the key is revoked', async (t) => {
  const { ctx } = t.context;
  const { key, value } = await issue(ctx);
  await t.throwsAsync(issue(ctx), { instanceOf: DomainError, code: 'invalid_request', message: /"backend" already/ });
  await revoke(ctx, key.id);
  const successor = await issue(ctx);
  t.not(successor.value, value);
  t.deepEqual(
    (await listKeys(ctx)).rows.map(({ id, revokedAt }) => [id, revokedAt !== null]),
    [
      [key.id, true],
      [successor.key.id, false],
    ],
  );
});

test('two requests for a key of the same name get one key', async (t) => {
  const { ctx } = t.context;
  const results = await Promise.allSettled([issue(ctx), issue(ctx), issue(ctx)]);
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('saveKey changes the scopes of an existing key and leaves its value', async (t) => {
  const { ctx, services, clock } = t.context;
  const made = await save(ctx);
  t.is(made.change.action, 'created');
  t.like(await save(ctx), { change: { subject: 'key backend', action: 'unchanged', fields: [] } });

  const expiresAt = new Date(clock.now().getTime() + minutes(60));
  const saved = await save(ctx, { scopes: ['products:read', 'orders:read'], expiresAt });
  t.like(saved, { change: { subject: 'key backend', action: 'updated', fields: only('scopes', 'expires_at') } });
  const limited = await save(ctx, { scopes: ['products:read', 'orders:read'], expiresAt, requestsPerMinute: 90 });
  t.deepEqual(limited.change.fields, ['requests_per_minute']);
  const unlimited = await save(ctx, { scopes: ['products:read', 'orders:read'], expiresAt });
  t.deepEqual(unlimited.change.fields, ['requests_per_minute'], 'what is left out has its default');
  const reordered = await save(ctx, { scopes: ['orders:read', 'products:read'], expiresAt });
  t.is(reordered.change.action, 'unchanged', 'the order of scopes says nothing');
  t.deepEqual((await services.keys.open(made.issued?.value ?? '')).scopes, ['products:read', 'orders:read']);
});

test('saveKey rejects another kind, and scopes that a publishable key may not have', async (t) => {
  const { ctx } = t.context;
  await save(ctx, { kind: 'publishable', scopes: ['products:read'] });
  await t.throwsAsync(save(ctx, { kind: 'secret' }), {
    instanceOf: DomainError,
    message: /is publishable; revoke it first/,
  });
  await t.throwsAsync(save(ctx, { kind: 'publishable', scopes: ['admin:write'] }), {
    instanceOf: DomainError,
    code: 'invalid_request',
  });
});

test('keys are listed page by page, oldest first', async (t) => {
  const { ctx } = t.context;
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push((await issue(ctx, { name })).key.id);
  const first = await listKeys(ctx, { limit: 2 });
  t.deepEqual(
    first.rows.map(({ id }) => id),
    ids.slice(0, 2),
  );
  const second = await listKeys(ctx, { limit: 2, cursor: first.cursor ?? '' });
  t.deepEqual(
    second.rows.map(({ id }) => id),
    ids.slice(2),
  );
  t.is(second.cursor, null);
});
