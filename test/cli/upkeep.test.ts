import { randomBytes } from 'node:crypto';

import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { openAccount } from '#src/domain/payments/index.ts';
import { createKeyring } from '#src/lib/keyring.ts';
import { sql } from '#src/lib/sql.ts';
import { callCli } from '#test/support/cli.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildSavedCart } from '#test/support/factories/cart.ts';
import { buildProduct, monthlyItem } from '#test/support/factories/catalog.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];
const { DATABASE_URL: _another, ...environment } = testEnvironment({
  ENCRYPTION_KEYS: `k1:${older.toString('base64')}`,
});
const test = anyTest as TestFn<StripeContext>;
await useStripe(test, environment);

const call = ({ services: { config } }: StripeContext, words: string[], given: Record<string, string> = {}) =>
  callCli(words, {
    ...environment,
    DATABASE_URL: config.databaseUrl,
    STRIPE_API_BASE: config.stripeApiBase ?? '',
    ...given,
  });

test.serial(
  'replay --dry-run shows what would change, and replay reconciles an order that Stripe knows as paid',
  async (t) => {
    const { ctx, stripe, tenant } = t.context;
    await stripe.deliveries({ drop: 1 });
    const product = await buildProduct(ctx, { variants: [{ ships: false }] });
    const { order_id: orderId } = await createCheckoutSession(ctx, {
      items: [{ product_slug: product.slug, quantity: 1 }],
    });
    const { sessionId } = await sessionOf(ctx, orderId);
    await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
    const { orderNumber } = await orderOf(ctx, orderId);

    const dry = await call(t.context, ['replay', tenant.slug, '--order', orderNumber, '--dry-run']);
    t.is(dry.code, 0, dry.err);
    t.regex(dry.out, new RegExp(`^${orderNumber} +status +pending +→ +paid +cs_`, 'm'));
    t.regex(dry.out, /\n1 object checked, 1 would change\.\n$/);
    t.is((await orderOf(ctx, orderId)).status, 'pending');

    const real = JSON.parse(
      (await call(t.context, ['replay', tenant.slug, '--session', sessionId ?? '', '--json'])).out,
    );
    t.deepEqual([real.dry_run, real.checked, real.changed, real.objects[0].result], [false, 1, 1, 'changed']);
    t.is((await orderOf(ctx, orderId)).status, 'paid');
    t.is(
      (await call(t.context, ['replay', tenant.slug, '--session', sessionId ?? ''])).out,
      '1 object checked: nothing changed.\n',
    );
  },
);

test.serial('replay reports missing or conflicting options, and fails with the message of Stripe', async (t) => {
  const { stripe, tenant } = t.context;
  for (const words of [
    [],
    ['--order', 'ORD-1', '--session', 'cs_1'],
    ['--session', 'cs_1', '--until', '1h'],
    ['--since', 'once'],
    ['--since', '2999-12-31'],
    ['--since', '1h', '--until', '2h'],
  ]) {
    const { code, err } = await call(t.context, ['replay', tenant.slug, ...words]);
    t.is(code, 2, `${words.join(' ')}: ${err}`);
  }
  await stripe.addFault({ match: 'GET /v1/checkout/sessions/*', kind: 'status', status: 500, times: 5 });
  const { code, out, err } = await call(t.context, ['replay', tenant.slug, '--session', 'cs_test_1']);
  t.is(code, 1);
  t.regex(out, /^session cs_test_1: Stripe, [^\n]+\n1 object checked: nothing changed\.\n$/);
  t.is(err, '');
  t.is((await call(t.context, ['replay', tenant.slug, '--order', 'ORD-77'])).err, 'There is no such order.\n');
});

test.serial('replay says what to do about a subscription whose order a restored backup lacks', async (t) => {
  const { ctx, stripe, tenant } = t.context;
  const product = await buildProduct(ctx, { purchase_types: ['one_time', 'subscription'] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [monthlyItem(product)],
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`delete from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`);
  });

  const { code, out } = await call(t.context, ['replay', tenant.slug, '--since', '1h', '--dry-run']);
  t.is(code, 1);
  t.regex(out, /^session cs_\S+: it has .+: ship it by hand, or refund it in the Stripe dashboard\.$/m);
  t.regex(out, /^subscription sub_\S+: it has .+: cancel it in the Stripe dashboard, or it charges every period\.$/m);
});

test.serial('rotate-keys re-encrypts every secret, and then the old key can be removed', async (t) => {
  const { account, ctx } = t.context;
  const both = { ENCRYPTION_KEYS: `k2:${newer.toString('base64')},k1:${older.toString('base64')}` };
  const before = await call(t.context, ['rotate-keys', '--status'], both);
  t.is(before.code, 0);
  t.regex(before.out, /^payment_accounts\.secret_key_sealed +k1 +\d+ +stale$/m);

  const added = { ENCRYPTION_KEYS: both.ENCRYPTION_KEYS.split(',').toReversed().join(',') };
  const { out: atFirst } = await call(t.context, ['rotate-keys', '--status'], added);
  t.regex(atFirst, /^No secret is encrypted with k2: if another key has replaced it, /m, 'a new key is to stay');

  const rotated = await call(t.context, ['rotate-keys'], both);
  t.is(rotated.code, 0, rotated.err);
  t.regex(rotated.err, /^payment_accounts\.secret_key_sealed: \d+ re-encrypted$/m);
  t.regex(rotated.out, /^payment_accounts\.secret_key_sealed +k2 +\d+ +current$/m);
  t.regex(
    rotated.out,
    /\nNo secret is encrypted with k1: if another key has replaced it, remove it from ENCRYPTION_KEYS when no process .+\.\n$/,
  );

  const alone = await call(t.context, ['rotate-keys', '--json'], { ENCRYPTION_KEYS: `k2:${newer.toString('base64')}` });
  t.is(alone.code, 0);
  t.true(JSON.parse(alone.out).uses.every(({ state }: { state: string }) => state === 'current'));
  t.is((await openAccount({ ...ctx, keyring: createKeyring([['k2', newer]]) })).secretKey, account.secretKey);

  const lost = await call(t.context, ['rotate-keys'], { ENCRYPTION_KEYS: `k3:${randomBytes(32).toString('base64')}` });
  t.is(lost.code, 1);
  t.regex(
    lost.out,
    /^ENCRYPTION_KEYS has no key k2\. Add the key again as k2:…, after the first one\. If it is lost, /m,
  );
  t.notRegex(lost.out, /save that secret again/, 'nor is each secret named');
  const renamed = { ENCRYPTION_KEYS: `k3:${randomBytes(32).toString('base64')},k2:${older.toString('base64')}` };
  const other = await call(t.context, ['rotate-keys'], renamed);
  t.regex(other.out, /cannot be decrypted with the key k2: save that secret again\./);
  const back = { ENCRYPTION_KEYS: `k1:${older.toString('base64')},k2:${newer.toString('base64')}` };
  t.is((await call(t.context, ['rotate-keys'], back)).code, 0);
});

test.serial('replay says in one line which encryption key is missing, or is another one', async (t) => {
  const { tenant } = t.context;
  const replay = (key: string) =>
    call(t.context, ['replay', tenant.slug, '--session', 'cs_test_1'], {
      ENCRYPTION_KEYS: `${key}:${newer.toString('base64')}`,
    });
  t.regex((await replay('k2')).err, /^.+ No encryption key has the id "k1"\. Add it to ENCRYPTION_KEYS again\. .+\n$/);
  t.regex((await replay('k1')).err, /^.+ The encryption key "k1" does not decrypt this: it is another key .+\n$/);
});

test.serial('export prints the personal data of a customer, and erase removes it', async (t) => {
  const { ctx, tenant } = t.context;
  await buildSavedCart(ctx, { email: 'ada@example.com' });
  const held = await call(t.context, ['export', tenant.slug, 'Ada@example.com']);
  t.is(held.code, 0);
  t.deepEqual(Object.keys(JSON.parse(held.out).held), ['saved_carts', 'unsubscribe_links']);
  t.regex(held.err, /^Reading saved_carts\.$/m);
  t.deepEqual(
    JSON.parse((await call(t.context, ['export', tenant.slug, 'ada@example.com', '--json'])).out),
    JSON.parse(held.out),
  );
  for (const option of [
    ['--to', 'ada.json'],
    ['--format', 'jsonl'],
  ]) {
    const printed = await call(t.context, ['export', tenant.slug, 'ada@example.com', ...option]);
    t.deepEqual([printed.code, printed.out], [2, ''], option.join(' '));
  }

  const hasty = await call(t.context, ['erase', tenant.slug, 'ada@example.com']);
  t.is(hasty.code, 2);
  t.regex(hasty.err, /check the data with export first, then pass --yes\./);
  t.is((await call(t.context, ['erase', tenant.slug, 'everybody', '--yes'])).code, 2);

  const order = await buildPaidOrder(ctx, { email: 'ada@example.com', number: 5001 });
  const blocked = await call(t.context, ['erase', tenant.slug, 'ada@example.com', '--yes']);
  t.is(blocked.code, 1);
  t.regex(
    blocked.err,
    new RegExp(
      `Nothing was erased because of open work: ${order.orderNumber} was not sent yet: send it or refund it\\.\n$`,
    ),
  );

  await buildSavedCart(ctx, { email: 'grace@example.com' });
  const erased = await call(t.context, ['erase', tenant.slug, 'grace@example.com', '--yes']);
  t.is(erased.code, 0);
  t.regex(erased.out, /^saved_carts +1$/m);
  t.is(
    (await call(t.context, ['erase', tenant.slug, 'grace@example.com', '--yes'])).out,
    'The store has no data about this email.\n',
  );
});

test.serial('webhooks:register registers the endpoint at Stripe once', async (t) => {
  const { tenant, stripe, account } = t.context;
  const url = { PUBLIC_URL: 'http://127.0.0.1:4998' };
  const first = JSON.parse((await call(t.context, ['webhooks:register', tenant.slug, '--json'], url)).out);
  t.is(first.created, true);
  t.regex(
    (await call(t.context, ['webhooks:register', tenant.slug], url)).out,
    /^Stripe delivers to \S+ already \(we_/,
  );
  const replaced = JSON.parse(
    (await call(t.context, ['webhooks:register', tenant.slug, '--replace', '--json'], url)).out,
  );
  t.not(replaced.endpoint_id, first.endpoint_id);
  const endpoints = (await stripe.account(account.secretKey)).webhook_endpoints.filter(
    (endpoint) => endpoint['url'] === replaced.url,
  );
  t.deepEqual(
    endpoints.map(({ status }) => status),
    ['disabled', 'enabled'],
  );
  t.false(JSON.stringify([first, replaced]).includes('whsec_'));
});
