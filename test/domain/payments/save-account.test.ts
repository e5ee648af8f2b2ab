import anyTest, { type TestFn } from 'ava';
import { readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  checkPaymentAccount,
  liveWebhookSecrets,
  openAccount,
  type PaymentAccountInput,
  publishableKeyOf,
  readPaymentAccount,
  savePaymentAccount,
} from '#src/domain/payments/index.ts';
import { hours } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const input: PaymentAccountInput = {
  provider: 'stripe',
  mode: 'direct',
  secret_key: 'sk_test_first',
  publishable_key: 'pk_test_first',
  webhook_secret: 'whsec_first',
  session_lifetime: '2h',
  automatic_tax: false,
};

test('savePaymentAccount changes nothing when repeated, and returns the fields of a change', async (t) => {
  const { ctx } = t.context;
  const save = (given: Partial<PaymentAccountInput> = {}) =>
    transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, ...given }));
  t.like(await save(), { action: 'created' });
  t.like(await save(), { action: 'unchanged', fields: [] });
  t.deepEqual(
    (await save({ secret_key: 'sk_test_second', automatic_tax: true, webhook_secret: 'whsec_second' })).fields,
    ['automatic_tax', 'secret_key', 'webhook_secret'],
  );
  t.like(await openAccount(ctx), { tenantId: ctx.tenant.id, secretKey: 'sk_test_second' });
  t.is((await readOne<{ key: string }>(ctx, sql`select ${publishableKeyOf(ctx)} as key`))?.key, 'pk_test_first');
});

test('savePaymentAccount accepts a replaced signing secret for another day', async (t) => {
  const { ctx, clock } = t.context;
  const save = (secret: string) =>
    transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, webhook_secret: secret }));
  await save('whsec_first');
  await save('whsec_second');
  t.deepEqual((await liveWebhookSecrets(ctx, { fresh: true })).toSorted(), ['whsec_first', 'whsec_second']);
  const later = { ...ctx, clock: { now: () => new Date(clock.now().getTime() + hours(25)) } };
  t.deepEqual(await liveWebhookSecrets(later, { fresh: true }), ['whsec_second']);
});

test('savePaymentAccount accepts session lifetimes from 35 minutes to 23 hours outside local mode', async (t) => {
  const { ctx } = t.context;
  const strict = { ...ctx, settings: { ...ctx.settings, localMode: false } };
  for (const session_lifetime of ['34m', '24h']) {
    await t.throwsAsync(
      transact(strict, (ctx) => savePaymentAccount(ctx, { ...input, session_lifetime })),
      { instanceOf: DomainError },
    );
  }
  await t.notThrowsAsync(transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, session_lifetime: '5s' })));
});

test('savePaymentAccount rejects keys of the other environment and of another kind, and names the field', async (t) => {
  const { ctx } = t.context;
  const live = { ...ctx, settings: { ...ctx.settings, appMode: 'live' as const } };
  const issueOf = async (ctx: Context, given: Partial<PaymentAccountInput>) => {
    const { provider, mode, automatic_tax } = input;
    const saving = transact(ctx, (ctx) => savePaymentAccount(ctx, { provider, mode, automatic_tax, ...given }));
    const error = await saving.then(
      () => undefined,
      (error: unknown) => error as DomainError,
    );
    const [issue] = (error?.extensions['errors'] ?? []) as { path: string; code: string; detail: string }[];
    return issue ? `${issue.path} ${issue.code}: ${issue.detail}` : undefined;
  };
  const isLive = 'wrong_environment: is a live key, and here is the test environment';
  const isTest = 'wrong_environment: is a test key, and here is the live environment';
  for (const key of ['sk_live_abc', 'rk_live_abc'])
    t.is(await issueOf(ctx, { secret_key: key }), `/secret_key ${isLive}`);
  for (const key of ['sk_test_abc', 'rk_test_abc'])
    t.is(await issueOf(live, { secret_key: key }), `/secret_key ${isTest}`);
  t.is(await issueOf(ctx, { publishable_key: 'pk_live_abc' }), `/publishable_key ${isLive}`);
  t.is(await issueOf(live, { publishable_key: 'pk_test_abc' }), `/publishable_key ${isTest}`);
  for (const key of ['pk_test_abc', 'whsec_abc', 'acct_abc', 'shippo_test_abc'])
    t.regex((await issueOf(ctx, { secret_key: key })) ?? '', /^\/secret_key wrong_kind: is an? /, key);
  for (const key of ['sk_test_abc', 'rk_test_abc'])
    t.regex((await issueOf(ctx, { publishable_key: key })) ?? '', /^\/publishable_key wrong_kind/, key);
  for (const key of ['we_abc', 'sk_test_abc'])
    t.regex((await issueOf(ctx, { webhook_secret: key })) ?? '', /^\/webhook_secret wrong_kind/, key);
  for (const field of ['secret_key', 'publishable_key', 'webhook_secret'] as const) {
    for (const key of [' ', `${input[field]}\n`, ` ${input[field]}`])
      t.regex((await issueOf(ctx, { [field]: key })) ?? '', new RegExp(`^/${field} whitespace`));
  }
  t.is(await readPaymentAccount(ctx), undefined);

  t.is(await issueOf(ctx, { secret_key: 'rk_test_abc', webhook_secret: 'a secret that does not tell' }), undefined);
  t.is(await issueOf(live, { secret_key: 'rk_live_abc' }), undefined);
  const { appMode } = ctx.settings;
  t.deepEqual(await checkPaymentAccount(ctx), {
    ok: false,
    detail: `This is a live key, and here is the ${appMode} environment.`,
  });
});

test('savePaymentAccount stores no keys in connect mode, and the table rejects them', async (t) => {
  const { ctx } = t.context;
  const save = (given: PaymentAccountInput, retainKey = false) =>
    transact(ctx, (ctx) => savePaymentAccount(ctx, given, { retainKey }));
  const connect = { provider: 'stripe', mode: 'connect', account_id: 'acct_1', automatic_tax: false } as const;
  for (const retainKey of [true, false]) {
    await save(input);
    t.true((await save(connect, retainKey)).fields.includes('secret_key'));
    t.like(await readPaymentAccount(ctx), { mode: 'connect', hasSecretKey: false, publishableKey: null });
    await t.throwsAsync(openAccount(ctx), { instanceOf: DomainError, code: 'payment_provider_not_configured' });
  }
  for (const field of ['secret_key', 'publishable_key'] as const) {
    const error = await t.throwsAsync(save({ ...connect, [field]: input[field] }), {
      instanceOf: DomainError,
      code: 'invalid_request',
    });
    t.like(error?.extensions, { errors: [{ path: `/${field}`, code: 'connect_mode' }] });
  }
  for (const column of ['secret_key_sealed', 'publishable_key']) {
    const statement = {
      text: `update payment_accounts set ${column} = 'kept' where tenant_id = $1`,
      values: [ctx.tenant.id],
    };
    const error = await t.throwsAsync(transact(ctx, (ctx) => ctx.tx.execute(statement as never)));
    t.regex(error?.message ?? '', /payment_accounts_connect_without_keys/, column);
  }
});

test('savePaymentAccount seals every secret', async (t) => {
  const { ctx } = t.context;
  await transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { ...input, secret_key: 'sk_test_unmistakable', webhook_secret: 'whsec_unmistakable' }),
  );
  const { rows } = await ctx.database.pool.query(
    `select scoped.* from set_config('app.tenant_id', $1, true) as scope(id), lateral (
      select a::text || s::text as text from payment_accounts a join payment_webhook_secrets s using (tenant_id)
      where tenant_id = scope.id offset 0) as scoped`,
    [ctx.tenant.id],
  );
  t.is(rows.length, 1);
  t.notRegex(rows[0].text, /unmistakable/);
});
