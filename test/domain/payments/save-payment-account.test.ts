import anyTest, { type TestFn } from 'ava';

import type { Context } from '#src/domain/context.ts';
import { readOne, transact } from '#src/domain/database.ts';
import {
  checkPaymentAccount, liveWebhookSecrets, openAccount, type PaymentAccountInput, publishableKeyOf, readPaymentAccount, savePaymentAccount,
} from '#src/domain/payments/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const input: PaymentAccountInput = {
  provider: 'stripe', mode: 'direct', secret_key: 'sk_test_first', publishable_key: 'pk_test_first',
  webhook_secret: 'whsec_first', session_lifetime: '2h', automatic_tax: false,
};

test('saving the same account twice changes nothing, and a change names its fields', async (t) => {
  const { ctx } = t.context;
  const save = (given: Partial<PaymentAccountInput> = {}) => transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, ...given }));
  t.like(await save(), { action: 'created' });
  t.like(await save(), { action: 'unchanged', fields: [] });
  t.deepEqual((await save({ secret_key: 'sk_test_second', automatic_tax: true, webhook_secret: 'whsec_second' })).fields, [
    'automatic_tax', 'secret_key', 'webhook_secret',
  ]);
  t.like(await openAccount(ctx), { tenantId: ctx.tenant.id, secretKey: 'sk_test_second' });
  t.is((await readOne<{ key: string }>(ctx, sql`select ${publishableKeyOf(ctx)} as key`))?.key, 'pk_test_first');
});

test('a replaced signing secret is believed for another day', async (t) => {
  const { ctx, clock } = t.context;
  const save = (secret: string) => transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, webhook_secret: secret }));
  await save('whsec_first');
  await save('whsec_second');
  t.deepEqual((await liveWebhookSecrets(ctx, { fresh: true })).toSorted(), ['whsec_first', 'whsec_second']);
  const later = { ...ctx, clock: { now: () => new Date(clock.now().getTime() + hours(25)) } };
  t.deepEqual(await liveWebhookSecrets(later, { fresh: true }), ['whsec_second']);
});

test('a session lives from 35 minutes to 23 hours, outside local mode', async (t) => {
  const { ctx } = t.context;
  const strict = { ...ctx, settings: { ...ctx.settings, localMode: false } };
  for (const session_lifetime of ['34m', '24h']) {
    await t.throwsAsync(transact(strict, (ctx) => savePaymentAccount(ctx, { ...input, session_lifetime })), { instanceOf: DomainError });
  }
  await t.notThrowsAsync(transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, session_lifetime: '5s' })));
});

test('a live key is not taken in the test environment, and of a key of the other kind a check says so', async (t) => {
  const { ctx } = t.context;
  const save = (ctx: Context, secret_key: string) => transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, secret_key }));
  for (const key of ['sk_live_abc', 'rk_live_abc']) {
    const error = await t.throwsAsync(save(ctx, key), { instanceOf: DomainError, code: 'invalid_request' });
    t.deepEqual(error?.extensions, { errors: [{ path: '/secret_key', code: 'wrong_environment', detail: 'is a live key, and here is the test environment' }] });
  }
  t.is(await readPaymentAccount(ctx), undefined);
  const live = { ...ctx, settings: { ...ctx.settings, appMode: 'live' as const } };
  await save(live, 'sk_test_abc');
  t.deepEqual(await checkPaymentAccount(live), { ok: false, detail: 'This is a test key, and here is the live environment.' });
  await t.notThrowsAsync(save(live, 'sk_live_abc'));
});

test('nothing secret is stored in clear', async (t) => {
  const { ctx } = t.context;
  await transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, secret_key: 'sk_test_unmistakable', webhook_secret: 'whsec_unmistakable' }));
  const { rows } = await ctx.database.pool.query(
    `select scoped.* from set_config('app.tenant_id', $1, true) as scope(id), lateral (
      select a::text || s::text as text from payment_accounts a join payment_webhook_secrets s using (tenant_id)
      where tenant_id = scope.id offset 0) as scoped`, [ctx.tenant.id]);
  t.is(rows.length, 1);
  t.notRegex(rows[0].text, /unmistakable/);
});
