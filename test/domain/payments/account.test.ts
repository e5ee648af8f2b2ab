import { randomBytes } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';

import { finishSecretRotation as job } from '#jobs/payments.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import type { Context } from '#src/domain/context.ts';
import { replaceWebhookEndpoint } from '#src/domain/payments/endpoint/webhook-endpoint.ts';
import {
  checkPaymentAccount,
  confirmSecretRotation,
  finishSecretRotation,
  liveWebhookSecrets,
  openAccount,
  type PaymentAccountInput,
  paymentCredentials,
  publishableKeyOf,
  readPaymentAccount,
  savePaymentAccount,
  startSecretRotation,
} from '#src/domain/payments/index.ts';
import { deriveCode } from '#src/domain/tenants/index.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { createKeyring } from '#src/lib/keyring.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type StripeContext, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

/** Start a rotation, and read the code from the email to the owner. */
async function begin(ctx: Context): Promise<{ rotationId: string; code: string }> {
  const { rotationId } = await startSecretRotation(ctx);
  const mail = await readOne<{ recipient: string; purpose: string }>(
    ctx,
    sql`
    select recipient, data ->> 'purpose' as purpose from mails
    where tenant_id = ${ctx.tenant.id} and kind = 'one_time_password' and subject_id = ${rotationId}`,
  );
  if (mail?.recipient !== ctx.tenant.ownerEmail) throw new Error('The owner was sent no code.');
  return { rotationId, code: await deriveCode(ctx, mail.purpose, rotationId) };
}

const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof DomainError ? error.code : String(error);
}

test.serial('confirmSecretRotation returns the new secret, again for ten minutes, and then never', async (t) => {
  const { ctx, clock, account } = t.context;
  const rotation = await begin(ctx);
  const { secret } = await confirmSecretRotation(ctx, rotation);
  t.regex(secret, /^whsec_/);
  t.deepEqual((await liveWebhookSecrets(ctx, { fresh: true })).toSorted(), [account.webhookSecret, secret].toSorted());

  clock.pass(minutes(9));
  t.is((await confirmSecretRotation(ctx, rotation)).secret, secret);
  clock.pass(minutes(1));
  t.is(await codeOf(confirmSecretRotation(ctx, rotation)), 'invalid_or_expired_token');
  clock.pass(minutes(60 * 24));
  t.deepEqual(await liveWebhookSecrets(ctx, { fresh: true }), [secret]);

  const { rows } = await listAudit(ctx, { limit: 10 });
  t.deepEqual(
    rows.map(({ action }) => action),
    [
      'payment_webhook_secret.confirmation_rejected',
      'payment_webhook_secret.rotated',
      'payment_webhook_secret.rotation_requested',
    ],
  );
  t.false(JSON.stringify(rows).includes(secret));
});

test.serial(
  'confirmSecretRotation accepts a code for ten minutes, five attempts and the newest rotation',
  async (t) => {
    const { ctx, clock } = t.context;
    const late = await begin(ctx);
    clock.pass(minutes(10));
    t.is(await codeOf(confirmSecretRotation(ctx, late)), 'invalid_or_expired_token');

    const guessed = await begin(ctx);
    for (let guess = 0; guess < 5; guess += 1) {
      t.is(
        await codeOf(confirmSecretRotation(ctx, { ...guessed, code: wrong(guessed.code) })),
        'invalid_or_expired_token',
      );
    }
    t.is(await codeOf(confirmSecretRotation(ctx, guessed)), 'invalid_or_expired_token');

    const replaced = await begin(ctx);
    const newest = await begin(ctx);
    t.is(await codeOf(confirmSecretRotation(ctx, replaced)), 'invalid_or_expired_token');
    t.is(await codeOf(confirmSecretRotation(ctx, { ...newest, code: wrong(newest.code) })), 'invalid_or_expired_token');
    t.regex((await confirmSecretRotation(ctx, newest)).secret, /^whsec_/);
    t.is(await codeOf(confirmSecretRotation(ctx, { rotationId: newId('rot'), code: '123456' })), 'not_found');
  },
);

test.serial('startSecretRotation sends five codes an hour at most, and none without an account', async (t) => {
  const { ctx, clock, services } = t.context;
  for (let count = 0; count < 5; count += 1) await startSecretRotation(ctx);
  t.is(await codeOf(startSecretRotation(ctx)), 'rate_limited');
  clock.pass(minutes(60));
  await t.notThrowsAsync(startSecretRotation(ctx));
  const other = { ...ctx, tenant: await buildTenant(services) };
  t.is(await codeOf(startSecretRotation(other)), 'payment_provider_not_configured');
});

test.serial(
  'confirmSecretRotation rejects a second one at the same time, and returns both the same secret',
  async (t) => {
    const { ctx } = t.context;
    const rotation = await begin(ctx);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => confirmSecretRotation(ctx, rotation).catch((error: unknown) => error)),
    );
    const reported = outcomes.flatMap((outcome) => (outcome instanceof DomainError ? [] : [outcome]));
    t.true(reported.length >= 1);
    t.true(
      outcomes.every(
        (outcome) =>
          !(outcome instanceof Error) || (outcome instanceof DomainError && outcome.code === 'version_conflict'),
      ),
    );
    t.deepEqual(await confirmSecretRotation(ctx, rotation), reported[0] as { secret: string });
  },
);

test.serial('finishSecretRotation finishes a rotation after the provider failed or the process died', async (t) => {
  const { ctx, clock, services, stripe, account } = t.context;
  const rotation = await begin(ctx);
  await stripe.addFault({
    match: 'POST /v1/webhook_endpoints',
    account: account.secretKey,
    kind: 'reset_before',
    times: 8,
  });
  t.is(await codeOf(confirmSecretRotation(ctx, rotation)), 'payment_provider_unavailable');
  await stripe.clearFaults();
  clock.pass(seconds(91));
  await runJobs(services);
  t.is((await liveWebhookSecrets(ctx, { fresh: true })).length, 2);
  const [payload] = await enqueuedJobs(ctx, job);
  await finishSecretRotation(ctx, payload ?? rotation);
  t.is((await liveWebhookSecrets(ctx, { fresh: true })).length, 2);
  const { secret } = await confirmSecretRotation(ctx, rotation);
  t.true((await liveWebhookSecrets(ctx, { fresh: true })).includes(secret));
});

test.serial('finishSecretRotation ignores an unconfirmed rotation', async (t) => {
  const { ctx } = t.context;
  const { rotationId } = await begin(ctx);
  await finishSecretRotation(ctx, { rotationId });
  t.is((await liveWebhookSecrets(ctx, { fresh: true })).length, 1);
});

const endpointsOf = async ({ stripe, account, ctx }: StripeContext) =>
  (await stripe.account(account.secretKey)).webhook_endpoints.filter(({ url }) =>
    String(url).startsWith(ctx.settings.publicUrl),
  );

test.serial(
  'replaceWebhookEndpoint creates a working endpoint and disables the old one, and a repeat changes nothing',
  async (t) => {
    const { ctx, account } = t.context;
    const first = await replaceWebhookEndpoint(ctx, { name: 'first' });
    t.regex(first.secret, /^whsec_/);
    t.deepEqual(await replaceWebhookEndpoint(ctx, { name: 'first' }), first);
    t.deepEqual(
      (await liveWebhookSecrets(ctx, { fresh: true })).toSorted(),
      [account.webhookSecret, first.secret].toSorted(),
    );

    const second = await replaceWebhookEndpoint(ctx, { name: 'second' });
    t.not(second.secret, first.secret);
    const endpoints = await endpointsOf(t.context);
    t.deepEqual(
      endpoints.map(({ id, status }) => [id, status]),
      [
        [first.endpointId, 'disabled'],
        [second.endpointId, 'enabled'],
      ],
    );
    t.true((await liveWebhookSecrets(ctx, { fresh: true })).includes(first.secret));
  },
);

test.serial(
  'replaceWebhookEndpoint works more often than the provider allows endpoints, and keeps the last two',
  async (t) => {
    const { ctx } = t.context;
    const made: string[] = [];
    for (let number = 1; number <= 18; number += 1)
      made.push((await replaceWebhookEndpoint(ctx, { name: `number-${number}` })).endpointId);
    const endpoints = await endpointsOf(t.context);
    t.deepEqual(
      endpoints.map(({ id, status }) => [id, status]),
      [
        [made.at(-2), 'disabled'],
        [made.at(-1), 'enabled'],
      ],
    );
  },
);

test.serial('replaceWebhookEndpoint with an earlier name leaves the endpoint that took its place', async (t) => {
  const { ctx } = t.context;
  const first = await replaceWebhookEndpoint(ctx, { name: 'first' });
  const second = await replaceWebhookEndpoint(ctx, { name: 'second' });
  t.deepEqual(await replaceWebhookEndpoint(ctx, { name: 'first' }), first);
  const enabled = (await endpointsOf(t.context)).filter(({ status }) => status === 'enabled');
  t.deepEqual(
    enabled.map(({ id }) => id),
    [second.endpointId],
  );
});

test.serial('of two calls of replaceWebhookEndpoint at once one endpoint stays, whose secret is current', async (t) => {
  const { ctx, clock } = t.context;
  const { payments } = ctx.ports;
  const created = Promise.withResolvers<void>();
  let count = 0;
  const createEndpoint: typeof payments.createEndpoint = async (...args) => {
    const made = await payments.createEndpoint(...args);
    count += 1;
    if (count === 2) created.resolve();
    await created.promise;
    return made;
  };
  const waiting = { ...ctx, ports: { ...ctx.ports, payments: { ...payments, createEndpoint } } };
  const made = await Promise.all(['one', 'other'].map((name) => replaceWebhookEndpoint(waiting, { name })));
  const enabled = (await endpointsOf(t.context)).filter(({ status }) => status === 'enabled');
  t.is(enabled.length, 1);
  clock.pass(hours(25));
  const current = made.find(({ endpointId }) => endpointId === enabled[0]?.id);
  t.deepEqual(await liveWebhookSecrets(ctx, { fresh: true }), [current?.secret]);
});

test.serial('replaceWebhookEndpoint deletes an own endpoint whose secret was never stored', async (t) => {
  const { ctx, clock, services, account, tenant } = t.context;
  const url = `${ctx.settings.publicUrl}/api/webhooks/stripe/${tenant.slug}`;
  const lost = await services
    .context()
    .ports.payments.createEndpoint(
      { tenantId: tenant.id, secretKey: account.secretKey },
      { url, ownName: 'lost' },
      'lost',
    );
  clock.pass(minutes(11));
  const made = await replaceWebhookEndpoint(ctx, { name: 'found' });
  const ids = (await endpointsOf(t.context)).map(({ id }) => id);
  t.deepEqual(ids, [made.endpointId]);
  t.false(ids.includes(lost.endpointId));
});

/** Another store, which has no account yet. */
const withoutAccount = async ({ ctx, services }: StripeContext): Promise<Context> => ({
  ...ctx,
  tenant: await buildTenant(services),
});

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
  const ctx = await withoutAccount(t.context);
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
  t.is((await save({ session_lifetime: '3h' })).fields[0], 'session_lifetime');
});

test('savePaymentAccount accepts a replaced signing secret for another day', async (t) => {
  const { clock } = t.context;
  const ctx = await withoutAccount(t.context);
  const save = (secret: string) =>
    transact(ctx, (ctx) => savePaymentAccount(ctx, { ...input, webhook_secret: secret }));
  await save('whsec_first');
  await save('whsec_second');
  t.deepEqual((await liveWebhookSecrets(ctx, { fresh: true })).toSorted(), ['whsec_first', 'whsec_second']);
  const later = { ...ctx, clock: { now: () => new Date(clock.now().getTime() + hours(25)) } };
  t.deepEqual(await liveWebhookSecrets(later, { fresh: true }), ['whsec_second']);
});

test('savePaymentAccount accepts session lifetimes from 35 minutes to 23 hours outside local mode', async (t) => {
  const ctx = await withoutAccount(t.context);
  const strict = { ...ctx, settings: { ...ctx.settings, localMode: false } };
  for (const session_lifetime of ['34m', '24h']) {
    await t.throwsAsync(
      transact(strict, (ctx) => savePaymentAccount(ctx, { ...input, session_lifetime })),
      { instanceOf: DomainError },
    );
  }
  for (const [at, session_lifetime] of [
    [strict, '35m'],
    [strict, '23h'],
    [ctx, '5s'],
  ] as const)
    await t.notThrowsAsync(transact(at, (ctx) => savePaymentAccount(ctx, { ...input, session_lifetime })));
});

test('savePaymentAccount rejects keys of the other environment and of another kind, and names the field', async (t) => {
  const ctx = await withoutAccount(t.context);
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
  const ctx = await withoutAccount(t.context);
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
    t.like(error?.extensions, { errors: only({ path: `/${field}`, code: 'connect_mode' }) });
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

test('credentials whose encryption key is lost are replaced after a confirmation, as others are', async (t) => {
  const ctx = await withoutAccount(t.context);
  await transact(ctx, (ctx) => savePaymentAccount(ctx, input));
  const later = { ...ctx, keyring: createKeyring([['k9', randomBytes(32)]]) };
  const replacedBy = async (given: PaymentAccountInput) =>
    Object.keys(await transact(later, (ctx) => paymentCredentials(given).replaced(ctx)));
  t.deepEqual(await replacedBy(input), ['secret_key', 'webhook_secret']);
  const { secret_key: _, webhook_secret: __, ...others } = input;
  t.deepEqual(await replacedBy(others), []);
  await transact(later, (ctx) => savePaymentAccount(ctx, input, { retainKey: true }));
  t.is((await openAccount(later)).secretKey, 'sk_test_first');
});

test('savePaymentAccount seals every secret', async (t) => {
  const ctx = await withoutAccount(t.context);
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
