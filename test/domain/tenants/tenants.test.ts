import anyTest, { type TestFn } from 'ava';

import { asPlatform, transact } from '#src/database/transact.ts';
import { takeOrderNumber } from '#src/domain/orders/index.ts';
import {
  deriveToken,
  listTenants,
  readSessionSecret,
  rotateSessionSecret,
  type StoreInput,
  saveTenant,
  setModules,
} from '#src/domain/tenants/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const newStore = (): StoreInput => ({
  slug: `store-${randomText(8)}`,
  name: 'Cedar & Clay',
  owner_email: 'Owner@Cedar.example',
  currency: 'USD',
  storefront_url: 'https://shop.cedar.example/',
});
const save = ({ services }: TestContext, input: StoreInput) =>
  asPlatform(services.context(), 'a test saves a store', (ctx) => saveTenant(ctx, input));

test('saveTenant creates a store with defaults and a secret of its own', async (t) => {
  const { services } = t.context;
  const input = newStore();
  const { tenant, change } = await save(t.context, input);
  t.deepEqual(change, { subject: `store ${input.slug}`, action: 'created', fields: [] });
  t.deepEqual(await services.tenants.bySlug(input.slug), tenant);
  t.like(tenant, {
    ownerEmail: 'owner@cedar.example',
    locale: 'en-US',
    storefrontUrl: 'https://shop.cedar.example',
    magicLinkPath: '/account/sign-in',
    restorePath: '/cart/restore',
    allowedOrigins: ['*'],
    mailFrom: null,
  });
  t.deepEqual(tenant.modules, { customer_accounts: false, subscriptions: true, gift_cards: true, reviews: true });
  const { number, secret } = await readSessionSecret({ ...services.context(), tenant });
  t.is(number, 1);
  t.true(secret.length >= 48);
});

test('saving the same again changes nothing; what differs is named', async (t) => {
  const input = newStore();
  const { tenant } = await save(t.context, input);
  t.deepEqual(await save(t.context, input), {
    tenant,
    change: { subject: `store ${input.slug}`, action: 'unchanged', fields: [] },
  });
  const changed = await save(t.context, { ...input, owner_email: 'new@cedar.example', theme: { accent: '#000' } });
  t.deepEqual(changed.change.fields, ['owner_email', 'theme']);
  t.is(changed.tenant.version, tenant.version + 1);
  t.is(changed.tenant.id, tenant.id);
});

test('what a file leaves out goes back to its default', async (t) => {
  const input = newStore();
  await save(t.context, { ...input, mail_from: 'shop@cedar.example', magic_link_path: '/login' });
  const { tenant, change } = await save(t.context, input);
  t.deepEqual(change.fields, ['magic_link_path', 'mail_from']);
  t.deepEqual([tenant.mailFrom, tenant.magicLinkPath], [null, '/account/sign-in']);
});

test('a store that is saved twice at once is one store', async (t) => {
  const input = newStore();
  const saved = await Promise.all([save(t.context, input), save(t.context, input), save(t.context, input)]);
  t.is(new Set(saved.map(({ tenant }) => tenant.id)).size, 1);
  t.deepEqual(saved.map(({ change }) => change.action).toSorted(), ['created', 'unchanged', 'unchanged']);
});

test('a store may change its currency until it has taken an order', async (t) => {
  const { services } = t.context;
  const input = newStore();
  await save(t.context, input);
  const { tenant } = await save(t.context, { ...input, currency: 'EUR' });
  t.is(tenant.currency, 'EUR');
  await takeOrderNumber({ ...services.context(), tenant });
  const message = 'A store that has sold something keeps its currency.';
  await t.throwsAsync(save(t.context, { ...input, currency: 'USD' }), { instanceOf: DomainError, message });
});

test('order numbers begin at 1001 and rise, also for concurrent orders', async (t) => {
  const { tenant } = await save(t.context, newStore());
  const ctx = { ...t.context.services.context(), tenant };
  const numbers = await Promise.all(Array.from({ length: 10 }, () => takeOrderNumber(ctx)));
  t.deepEqual(
    numbers.toSorted((left, right) => left - right),
    Array.from({ length: 10 }, (_, index) => 1001 + index),
  );
});

test('setModules switches one module and leaves the others', async (t) => {
  const { services } = t.context;
  const { tenant } = await save(t.context, newStore());
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
  const { tenant } = await save(t.context, input);
  const number = await asPlatform(services.context(), 'a test saves a store', async (ctx) => {
    await saveTenant(ctx, { ...input, name: 'Cedar & Daughters' });
    return takeOrderNumber({ ...services.context(), tenant });
  });
  t.is(number, 1001);
});

test('saveTenant leaves the modules of a store unchanged', async (t) => {
  const input = newStore();
  const { tenant } = await save(t.context, input);
  await transact({ ...t.context.services.context(), tenant }, (ctx) => setModules(ctx, { subscriptions: false }));
  const saved = await save(t.context, { ...input, name: 'Cedar' });
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
