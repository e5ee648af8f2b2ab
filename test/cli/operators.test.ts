import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { TOTP } from 'otpauth';
import { userAndMachine } from '#src/cli/lib/user-and-machine.ts';
import { asPlatform, transact } from '#src/database/transact.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import { removeStores } from '#src/domain/backoffice/index.ts';
import { restock } from '#src/domain/catalog/index.ts';
import { markFulfilled } from '#src/domain/shipping/index.ts';
import { confirmTotp, startTotp } from '#src/domain/staff/index.ts';
import { readSessionSecret, saveTenant } from '#src/domain/tenants/index.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { callCli, runCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { createEmptyDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildWaiting, restockMailsOf } from '#test/support/factories/leads.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildStaffSession, verify } from '#test/support/factories/staff.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { receiverFor } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
const { DATABASE_URL: _another, ...environment } = testEnvironment();
useContext(test, { environment });

const call = ({ services }: TestContext, ...words: string[]) =>
  callCli(words, { ...environment, DATABASE_URL: services.config.databaseUrl });

test('tenants list and tenants show print stores', async (t) => {
  const { tenant } = t.context;
  const list = await call(t.context, 'tenants', 'list');
  t.is(list.code, 0);
  t.true(list.out.startsWith('SLUG '));
  t.true(list.out.includes(tenant.slug));
  const { tenants } = JSON.parse((await call(t.context, 'tenants', 'list', '--json')).out);
  t.true(tenants.some(({ slug }: { slug: string }) => slug === tenant.slug));

  const shown = JSON.parse((await call(t.context, 'tenants', 'show', tenant.slug, '--json')).out).tenant;
  t.deepEqual([shown.id, shown.currency, shown.modules.reviews], [tenant.id, 'USD', true]);
  t.deepEqual(await call(t.context, 'tenants', 'show', 'nobody'), {
    code: 1,
    out: '',
    err: 'There is no store with the slug "nobody".\n',
  });
});

test('tenants list shows closed or open stores only, and cuts a long name in its text', async (t) => {
  const { services } = t.context;
  const name = 'Cedar '.repeat(33).trim();
  const open = await buildTenant(services, { name });
  const closed = await buildTenant(services);
  t.is((await call(t.context, 'tenants', 'close', closed.slug)).code, 0);
  const listed = async (...words: string[]) => {
    const { tenants } = JSON.parse((await call(t.context, 'tenants', 'list', '--json', ...words)).out);
    return (tenants as { slug: string; name: string }[])
      .filter(({ slug }) => [open.slug, closed.slug].includes(slug))
      .map(({ slug, name }) => [slug, name]);
  };
  t.deepEqual(await listed('--open'), [[open.slug, name]]);
  t.deepEqual(await listed('--closed'), [[closed.slug, closed.name]]);
  t.regex((await call(t.context, 'tenants', 'list', '--open', '--closed')).err, /^tenants list takes one of /);

  const { out } = await call(t.context, 'tenants', 'list');
  t.regex(out, new RegExp(`^${open.slug} +Cedar .{20,50}…  USD`, 'm'));
  t.true(out.split('\n').every((line) => line.length < 200));
});

test.serial('tenants set-module takes effect in every process and is recorded in the audit log', async (t) => {
  const { ctx, clock, services, tenant } = t.context;
  t.is((await services.tenants.bySlug(tenant.slug))?.modules.reviews, true);
  t.is(
    (await call(t.context, 'tenants', 'set-module', tenant.slug, 'reviews', 'off')).out,
    `reviews of ${tenant.slug} is now off.\n`,
  );
  t.is(
    (await call(t.context, 'tenants', 'set-module', tenant.slug, 'reviews', 'off')).out,
    `reviews of ${tenant.slug} was off already.\n`,
  );
  clock.pass(seconds(1));
  t.is((await services.tenants.bySlug(tenant.slug))?.modules.reviews, false);
  const { rows: entries } = await listAudit(ctx, { limit: 10 });
  t.deepEqual(
    entries.map(({ action, subjectId, before, after }) => [action, subjectId, before, after]),
    [['module.updated', 'reviews', { on: true }, { on: false }]],
  );
});

test.serial(
  'tenants close says what goes on, tenants reopen opens the store again, and both are audited once',
  async (t) => {
    const { ctx, clock, services, tenant } = t.context;
    await buildSubscription(ctx);
    await buildSubscription(ctx, { status: 'canceled' });
    const [sent] = [await buildPaidOrder(ctx), await buildPaidOrder(ctx)];
    await markFulfilled(ctx, { orderId: sent.id });
    const closed = await call(t.context, 'tenants', 'close', tenant.slug);
    t.regex(closed.out, new RegExp(`^${tenant.slug} is now closed\\.\nStripe still charges 1 subscription\\.`));
    t.regex(closed.out, /^1 paid order not sent yet: send or refund what was bought\.$/m);
    t.regex((await call(t.context, 'tenants', 'close', tenant.slug)).out, /^shop-\w+ was closed already\.\n/);
    const { tenants } = JSON.parse((await call(t.context, 'tenants', 'list', '--json')).out);
    const listed = tenants.find(({ slug }: { slug: string }) => slug === tenant.slug);
    t.is(typeof listed.closed_at, 'string');
    t.regex((await call(t.context, 'tenants', 'show', tenant.slug)).out, /^closed_at +\d{4}-/m);
    clock.pass(seconds(1));
    t.truthy((await services.tenants.bySlug(tenant.slug))?.closedAt);

    t.is((await call(t.context, 'tenants', 'reopen', tenant.slug)).out, `${tenant.slug} is open again.\n`);
    t.is((await call(t.context, 'tenants', 'reopen', tenant.slug)).out, `${tenant.slug} is not closed.\n`);
    clock.pass(seconds(1));
    t.is((await services.tenants.bySlug(tenant.slug))?.closedAt, null);
    t.deepEqual(
      (await listAudit(ctx, { limit: 10 })).rows.map(({ action }) => action),
      ['store.reopened', 'store.closed', 'order.fulfilled_by_hand'],
    );
  },
);

test.serial('tenants reopen emails the waitlists of what was restocked while the store was closed', async (t) => {
  const { ctx, clock, services, tenant } = t.context;
  const [restocked, soldOut] = [
    await buildProduct(ctx, { variants: [{ stock: 0 }] }),
    await buildProduct(ctx, { variants: [{ stock: 0 }] }),
  ];
  const { email } = await buildWaiting(ctx, { productSlug: restocked.slug });
  await buildWaiting(ctx, { productSlug: soldOut.slug });
  const recipients = async () => (await restockMailsOf(ctx)).map(({ recipient }) => recipient);
  await call(t.context, 'tenants', 'close', tenant.slug);
  clock.pass(seconds(1));
  await transact(ctx, (ctx) => restock(ctx, [{ variantId: restocked.variant.id, quantity: 2 }]));
  await runJobs(services);
  t.deepEqual(await recipients(), []);

  await call(t.context, 'tenants', 'reopen', tenant.slug);
  clock.pass(minutes(2));
  await runJobs(services);
  t.deepEqual(await recipients(), [email]);
});

test.serial(
  'tenants remove shows what it would delete, is rejected while something is open, and frees the slug',
  async (t) => {
    const { ctx, clock, services, tenant } = t.context;
    const remove = (...words: string[]) => call(t.context, 'tenants', 'remove', tenant.slug, ...words);
    const { id } = await buildSubscription(ctx);
    await call(t.context, 'keys', 'create', tenant.slug, 'erp', '--kind', 'secret', '--scopes', 'orders:read');
    const open = await remove('--yes');
    t.is(open.code, 1);
    t.regex(
      open.err,
      /was not removed: the store is not closed; subscriptions that Stripe still charges: 1 \(cancel them\)/,
    );
    await transact(ctx, ({ tx }) => tx.execute(sql`update subscriptions set status = 'canceled' where id = ${id}`));
    t.regex((await remove('--yes')).err, /was not removed: the store is not closed/);
    await call(t.context, 'tenants', 'close', tenant.slug);
    t.regex((await remove('--yes')).err, /was not removed: shoppers who were checking out when it was closed \(wait/);
    await services.execute(sql`
      update tenants set closed_at = closed_at - interval '5 minutes' where id = ${tenant.id}`);
    const shown = await remove();
    t.is(shown.code, 0);
    t.regex(shown.out, /^WOULD BE DELETED +ROWS\napi_keys +1\naudit_log +2\nsubscriptions +1\n/);
    t.regex(shown.out, /Nothing was deleted/);

    t.regex((await remove('--yes')).out, /^shop-\w+ is removed: /);
    const again = await remove('--yes');
    t.is(again.code, 1);
    t.regex(again.err, /^There is no store with the slug "shop-\w+": it was removed at 20\S+ by \S+\.\n$/);
    t.false((await call(t.context, 'tenants', 'list')).out.includes(tenant.slug));
    const input = { slug: tenant.slug, name: 'Again', owner_email: 'a@b.example', currency: 'USD' };
    const create = () =>
      asPlatform(services.context(), 'a test', (ctx) =>
        saveTenant(ctx, { ...input, storefront_url: 'https://b.example' }),
      );
    await t.throwsAsync(create(), { message: /was removed, and its data is being deleted/ });
    clock.pass(hours(1.1));
    for (let run = 0; run < 2; run += 1) await removeStores(services.context(), {}).catch(() => undefined);
    t.is((await create()).change.action, 'created');
    const removed = await call(t.context, 'tenants', 'list', '--removed');
    t.regex(
      removed.out,
      new RegExp(`^SLUG .*\n(.*\n)*${tenant.slug} +${tenant.id} +20.* ${userAndMachine({ environment })} +20`),
    );
    const { removed_stores } = JSON.parse((await call(t.context, 'tenants', 'list', '--removed', '--json')).out);
    t.like(
      removed_stores.find(({ id }: { id: string }) => id === tenant.id),
      { slug: tenant.slug, removed_by: userAndMachine({ environment }) },
    );
  },
);

test('tenants rotate-secret signs out the customers of one store and is recorded in the audit log', async (t) => {
  const { ctx, tenant } = t.context;
  const { number } = await readSessionSecret(ctx);
  t.is(
    (await call(t.context, 'tenants', 'rotate-secret', tenant.slug)).out,
    `${tenant.slug} has a new secret. All customers are signed out.\n`,
  );
  t.is((await readSessionSecret(ctx)).number, number + 1);
  t.deepEqual(
    (await listAudit(ctx, { limit: 10 })).rows.map(({ action }) => action),
    ['store.secret_rotated'],
  );
});

test('tenants set-module rejects an unknown module and an unknown switch as usage errors', async (t) => {
  const { tenant } = t.context;
  const unknown = await call(t.context, 'tenants', 'set-module', tenant.slug, 'review', 'on');
  t.is(unknown.code, 2);
  t.regex(unknown.err, /Did you mean reviews\?/);
  t.is((await call(t.context, 'tenants', 'set-module', tenant.slug, 'reviews', 'maybe')).code, 2);
});

test('staff invite, list and revoke change who may sign in, and the last owner stays', async (t) => {
  const { ctx, tenant } = t.context;
  const staff = (...words: string[]) => call(t.context, 'staff', ...words);
  t.is((await staff('list', tenant.slug)).out, 'The store has no staff.\n');
  const invited = await staff('invite', tenant.slug, 'Ada@cedar.example', '--name', 'Ada', '--role', 'owner');
  t.is(invited.out, 'ada@cedar.example is invited as owner. The link in the email is valid for three days.\n');
  t.is((await staff('invite', tenant.slug, 'grace@cedar.example', '--name', 'Grace', '--role', 'boss')).code, 2);
  await staff('invite', tenant.slug, 'grace@cedar.example', '--name', 'Grace', '--role', 'support');
  t.regex((await staff('list', tenant.slug)).out, /grace@cedar\.example +Grace +support +email +active/);
  t.like(await staff('revoke', tenant.slug, 'ada@cedar.example'), { code: 1, out: '' });
  t.is((await staff('revoke', tenant.slug, 'Grace@Cedar.example')).out, 'grace@cedar.example is revoked.\n');
  t.like(await staff('revoke', tenant.slug, 'grace@cedar.example'), {
    code: 1,
    err: `${tenant.slug} has no active member "grace@cedar.example".\n`,
  });
  t.deepEqual(
    (await listAudit(ctx, { limit: 10 })).rows.map(({ action }) => action),
    ['staff.revoked', 'staff.invited', 'staff.invited'],
  );
});

test('staff remove-app lets the only owner of a store, who has lost the app, have codes emailed again', async (t) => {
  const { ctx, tenant, clock } = t.context;
  const owner = await buildStaffSession(ctx);
  const { secret } = await startTotp(ctx, owner);
  await confirmTotp(ctx, owner, new TOTP({ secret }).generate({ timestamp: clock.now().getTime() }));
  const staff = (...words: string[]) => call(t.context, 'staff', ...words);
  t.regex((await staff('list', tenant.slug)).out, / app +active/);
  const removed = await staff('remove-app', tenant.slug, owner.staff.email);
  t.is(removed.out, `The authenticator app of ${owner.staff.email} is removed. Codes are emailed.\n`);
  t.regex((await staff('list', tenant.slug)).out, / email +active/);
  await verify(ctx, owner);
  t.regex((await staff('remove-app', tenant.slug, owner.staff.email)).out, /has no authenticator app/);
  t.is((await staff('remove-app', tenant.slug, 'nobody@cedar.example')).code, 1);
  const deeds = (await listAudit(ctx, { limit: 20 })).rows.map(({ action }) => action);
  t.is(deeds.filter((action) => action === 'staff.totp_disabled').length, 1);
});

test('keys create prints the value once, keys list hides it, and keys revoke ends it', async (t) => {
  const { ctx, services, tenant } = t.context;
  const made = await call(
    t.context,
    'keys',
    'create',
    tenant.slug,
    'erp',
    '--kind',
    'secret',
    '--scopes',
    'orders:read, products:write',
  );
  t.is(made.code, 0);
  const [value = ''] = made.out.split('\n');
  t.deepEqual((await services.keys.open(value)).scopes, ['orders:read', 'products:write']);

  const list = await call(t.context, 'keys', 'list', tenant.slug);
  t.regex(list.out, /erp +secret +sk_test_…\w{4} +live +orders:read,products:write/);
  t.false(list.out.includes(value));

  t.regex(
    (await call(t.context, 'keys', 'revoke', tenant.slug, 'erp')).out,
    /^The key "erp" \(sk_test_…\w{4}\) is revoked\.\n$/,
  );
  t.is((await call(t.context, 'keys', 'revoke', tenant.slug, 'erp')).err, `${tenant.slug} has no live key "erp".\n`);
  const { rows } = await listAudit(ctx, { limit: 10 });
  t.deepEqual(
    rows.map(({ action, actorId }) => [action, actorId]),
    [
      ['key.revoked', 'cli'],
      ['key.created', 'cli'],
    ],
  );
  t.false(JSON.stringify(rows).includes(value));
});

test('keys and staff of a store that has had thousands are listed and revoked, the newest ones too', async (t) => {
  const { ctx, tenant } = t.context;
  const { slug } = tenant;
  const now = ctx.clock.now();
  const past = sql`generate_series(1, 2000) as number`;
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`
      insert into api_keys (id, tenant_id, name, kind, scopes, hash, pepper_id, hint, revoked_at, created_at)
      select 'key_00' || number, ${tenant.id}, 'past', 'secret', '[]', sha256(number::text::bytea), '', '', ${now}, ${now}
      from ${past}`);
    await tx.execute(sql`
      insert into staff (tenant_id, id, email, name, role, revoked_at, version, created_at, updated_at)
      select ${tenant.id}, 'staff_00' || number, number || '@past.example', '', 'support', ${now}, 1, ${now}, ${now}
      from ${past}`);
  });
  await call(t.context, 'keys', 'create', slug, 'zeta', '--kind', 'secret', '--scopes', 'orders:read');
  await call(t.context, 'staff', 'invite', slug, 'zeta@cedar.example', '--name', 'Zeta', '--role', 'support');
  for (const [list, name] of [
    ['keys', 'zeta'],
    ['staff', 'zeta@cedar.example'],
  ] as const) {
    const listed = JSON.parse((await call(t.context, list, 'list', slug, '--json')).out)[list];
    t.is(listed.length, 2001);
    t.true([listed.at(-1).name, listed.at(-1).email].includes(name));
    t.like(await call(t.context, list, 'revoke', slug, listed.at(-1).id), { code: 0, err: '' });
    t.is((await call(t.context, list, 'revoke', slug, name)).code, 1, 'it is revoked already');
  }
});

test('a wrong value is named as it is written: a parameter in angle brackets, an option with dashes', async (t) => {
  const { slug } = t.context.tenant;
  for (const [words, message] of [
    [['keys', 'create', slug, '', '--scopes', 'a'], /^keys create: --kind is required, <name> must not be empty, --sc/],
    [
      ['staff', 'invite', slug, 'ada', '--role', 'owner'],
      /^staff invite: --name is required, <email> must be an email/,
    ],
    [['webhooks:create', slug, 'erp', '--concurrency', '0x1'], /^webhooks:create: --events is required, <url> must be/],
  ] as const) {
    const { code, err } = await call(t.context, ...words);
    t.is(code, 2);
    t.regex(err, message);
  }
});

test('webhooks:register says why a store without a key of its own cannot register', async (t) => {
  const { code, err } = await call(t.context, 'webhooks:register', t.context.tenant.slug);
  t.is(code, 1);
  t.is(
    err,
    'This store cannot take payments at the moment. It has no Stripe secret key: set `payments.secret_key`, with ' +
      '`mode: direct`, in its store file.\n',
  );
});

test('keys create --json prints the key as JSON', async (t) => {
  const { tenant } = t.context;
  const options = [
    '--kind',
    'publishable',
    '--scopes',
    'cart:write',
    '--expires-at',
    '2030-01-01T00:00:00Z',
    '--requests-per-minute',
    '90',
    '--json',
  ];
  const { key, value } = JSON.parse((await call(t.context, 'keys', 'create', tenant.slug, 'till', ...options)).out);
  t.deepEqual(
    [key.name, key.kind, key.scopes, key.expires_at],
    ['till', 'publishable', ['cart:write'], '2030-01-01T00:00:00.000Z'],
  );
  t.is(key.requests_per_minute, 90);
  t.regex(value, /^pk_test_/);
});

test('keys create rejects a KEY_PEPPER with which no key of the installation was hashed', async (t) => {
  const { services, tenant } = t.context;
  const words = (name: string) => ['keys', 'create', tenant.slug, name, '--kind', 'secret', '--scopes', 'orders:read'];
  t.is((await call(t.context, ...words('first'))).code, 0);
  const { KEY_PEPPER } = testEnvironment();
  const given = { ...environment, DATABASE_URL: services.config.databaseUrl, KEY_PEPPER: KEY_PEPPER ?? '' };
  const second = await callCli(words('second'), given);
  t.is(second.code, 1);
  t.regex(second.err, /KEY_PEPPER is another one than that with which all API keys are hashed/);
  t.is(JSON.parse((await call(t.context, 'keys', 'list', tenant.slug, '--json')).out).keys.length, 1);
});

test('keys create rejects wrong options and excessive scopes', async (t) => {
  const { slug } = t.context.tenant;
  const create = (...words: string[]) => call(t.context, 'keys', 'create', slug, ...words);
  const wrong: [string[], RegExp][] = [
    [['a'], /--kind is required/],
    [['a', '--kind', 'secret'], /--scopes is required/],
    [['a', '--kind', 'public', '--scopes', 'cart:write'], /--kind must be one of secret, publishable/],
    [
      ['a', '--kind', 'secret', '--scopes', 'cart:write,all'],
      /--scopes must be one of products:read, .*, admin:write, .*\./,
    ],
    [
      ['a', '--kind', 'secret', '--scopes', 'cart:write', '--expires-at', 'tomorrow'],
      /--expires-at must be a time such as 2026-11-20T12:00:00Z/,
    ],
    [
      ['a', '--kind', 'secret', '--scopes', 'cart:write', '--requests-per-minute', 'many'],
      /--requests-per-minute must be a whole number/,
    ],
  ];
  for (const [words, message] of wrong) {
    const { code, err } = await create(...words);
    t.is(code, 2);
    t.regex(err, message);
  }
  const wide = await create('wide', '--kind', 'publishable', '--scopes', 'orders:read');
  t.deepEqual([wide.code, wide.err], [1, 'A publishable key may only have scopes that shoppers may use.\n']);
});

test('a command lists every missing or invalid environment variable, and no value', async (t) => {
  const { code, err } = await callCli(['tenants', 'list'], { DATABASE_URL: 'hush', ENCRYPTION_KEYS: 'hush' });
  t.is(code, 1);
  const named = ['APP_MODE', 'DATABASE_URL', 'REDIS_URL', 'ENCRYPTION_KEYS', 'KEY_PEPPER', 'SMTP_URL'];
  for (const name of named) t.regex(err, new RegExp(`^  ${name} `, 'm'));
  t.false(err.includes('hush'));
});

test('a command distinguishes a database that does not respond from one that is not migrated', async (t) => {
  const away = await callCli(['tenants', 'list'], { ...environment, DATABASE_URL: 'postgres://shop@127.0.0.1:1/shop' });
  t.is(away.code, 1);
  t.regex(away.err, /^PostgreSQL does not respond at DATABASE_URL: .*ECONNREFUSED.*\n$/);
  const { url: empty, drop } = await createEmptyDatabase();
  t.teardown(drop);
  const behind = await callCli(['tenants', 'list'], { ...environment, DATABASE_URL: empty });
  t.is(behind.code, 1);
  t.regex(behind.err, /^The schema lacks \d+ migrations of this release: run `npm run cli -- migrate`\.\n$/);
});

test('example prints a store file that apply accepts', async (t) => {
  const { code, out } = await callCli(['example']);
  t.is(code, 0);
  const { file } = JSON.parse((await callCli(['example', '--json'])).out);
  t.is(file, out);
  t.regex(out, /^store:$/m);
});

test('migrate needs only DATABASE_URL, and changes nothing when repeated', async (t) => {
  const { url, drop } = await createEmptyDatabase();
  t.teardown(drop);
  const status = await callCli(['migrate', '--status'], { DATABASE_URL: url });
  t.regex(status.out, /^to apply {2}0001-outbox$/m);

  const first = await runCli(['migrate'], { DATABASE_URL: url });
  t.is(first.code, 0);
  t.regex(first.out, /^applied {2}0001-outbox$/m);
  t.regex(first.err, /^Applying 0001-outbox\.$/m);

  t.deepEqual(await callCli(['migrate'], { DATABASE_URL: url }), {
    code: 0,
    out: 'The schema is up to date.\n',
    err: '',
  });
  t.deepEqual(JSON.parse((await callCli(['migrate', '--json'], { DATABASE_URL: url })).out), { applied: [] });
  t.deepEqual(JSON.parse((await callCli(['migrate', '--status', '--json'], { DATABASE_URL: url })).out), {
    pending: [],
  });
  const without = await callCli(['migrate'], {});
  t.is(without.code, 1);
  t.regex(
    without.err,
    /^The environment is not fit to start with:\n {2}DATABASE_URL is required, such as postgres:.*\n$/,
  );
});

const callWebhooks = (context: TestContext, name: string, ...words: string[]) =>
  call(context, `webhooks:${name}`, context.tenant.slug, ...words);

async function callWebhooksJson(context: TestContext, name: string, ...words: string[]) {
  const { code, out, err } = await callWebhooks(context, name, ...words, '--json');
  if (code !== 0) throw new Error(`${name}: ${out}${err}`);
  return JSON.parse(out);
}

test.serial('the webhooks commands create, test, inspect, change and remove an endpoint', async (t) => {
  const { services, ctx } = t.context;
  const receiver = await receiverFor(t);
  const made = await callWebhooks(
    t.context,
    'create',
    `${receiver.url}/a`,
    '--events',
    'order.paid, order.shipped',
    '--concurrency',
    '2',
  );
  t.is(made.code, 0, made.err);
  const [secret = ''] = made.out.split('\n');
  t.regex(secret, /^whsec_/);
  const list = await callWebhooks(t.context, 'list');
  const [, id = ''] = /^(whe_\S+) +on +\S+ +order\.paid,order\.shipped$/m.exec(list.out) ?? [];
  t.not(id, '', list.out);
  t.false(list.out.includes(secret));

  const tested = await callWebhooksJson(t.context, 'test', id);
  t.regex(tested.event_id, /^evt_/);
  await runJobs(services);
  t.is(receiver.requests.length, 1);
  const deliveries = await callWebhooks(
    t.context,
    'deliveries',
    id,
    '--state',
    'delivered',
    '--since',
    '24h',
    '--type',
    'webhook.test',
  );
  const [, delivery = ''] = /^(whd_\S+) .* webhook\.test +delivered +1 +2\d\d /m.exec(deliveries.out) ?? [];
  t.not(delivery, '', deliveries.out);
  t.regex(
    (await callWebhooks(t.context, 'delivery', delivery)).out,
    /^webhook\.test \(evt_\S+\) for whe_\S+: delivered\.\nATTEMPT .*\n1 .* 2\d\d .* ms/,
  );
  t.is((await callWebhooksJson(t.context, 'delivery', delivery)).attempts.length, 1);

  t.is((await callWebhooks(t.context, 'redeliver', delivery)).out, `${delivery} is being resent.\n`);
  await runJobs(services);
  t.is(receiver.requests.length, 2);
  t.is((await callWebhooks(t.context, 'recover', id, '1h')).out, 'There is nothing to resend.\n');
  t.is((await callWebhooksJson(t.context, 'recover', id, '2020-01-01T00:00:00Z', '--only', 'all')).recovered, 1);
  await runJobs(services);

  const rotated = await callWebhooksJson(t.context, 'rotate', id);
  t.not(rotated.secret, secret);
  t.is(
    (await callWebhooks(t.context, 'update', id, '--events', 'order.*')).out,
    `${id} receives order.* at ${receiver.url}/a.\n`,
  );
  t.is((await callWebhooks(t.context, 'disable', id)).out, `${id} is disabled.\n`);
  t.regex((await callWebhooks(t.context, 'list')).out, /off \(owner\)/);
  t.is((await callWebhooks(t.context, 'test', id)).code, 1);
  t.is((await callWebhooksJson(t.context, 'enable', id)).webhook_endpoint.status, 'enabled');
  t.is((await callWebhooks(t.context, 'remove', id)).out, `${id} is deleted.\n`);
  t.is((await callWebhooks(t.context, 'list')).out, 'The store has no webhook endpoints.\n');
  t.is((await callWebhooks(t.context, 'disable', id)).err, 'There is no such webhook endpoint.\n');

  const { rows } = await listAudit(ctx, { limit: 20 });
  t.deepEqual(
    rows.toReversed().map(({ action }) => action.split('.')[1]),
    [
      'created',
      'tested',
      'redelivered',
      'recovered',
      'recovered',
      'secret_rotated',
      'updated',
      'disabled',
      'enabled',
      'removed',
    ],
  );
  t.true(rows.every(({ actorKind, actorId }) => actorKind === 'operator' && actorId === 'cli'));
});

test.serial('webhooks:delivery prints no control characters of a response', async (t) => {
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500, body: '\u001b]0;owned\u0007 broken\u009b2J' });
  const { webhook_endpoint: endpoint } = await callWebhooksJson(
    t.context,
    'create',
    receiver.url,
    '--events',
    'order.paid',
  );
  await callWebhooks(t.context, 'test', endpoint.id);
  await runJobs(t.context.services);
  const { deliveries } = await callWebhooksJson(t.context, 'deliveries', endpoint.id, '--since', '2020-01-01');
  t.deepEqual((await callWebhooksJson(t.context, 'deliveries', endpoint.id, '--since', '0s')).deliveries, []);
  const { out } = await callWebhooks(t.context, 'delivery', deliveries[0].id);
  t.regex(out, / 500 .* \]0;owned broken 2J\n/);
});

test.serial('the webhooks commands report invalid values by the names of parameters and options', async (t) => {
  const wrong: [string[], RegExp][] = [
    [['create', 'https://a.example/hook'], /--events is required/],
    [['create', 'https://a.example/hook', '--events', 'order.baked'], /--events must be one of .*order\.paid, /],
    [
      ['create', 'https://a.example/hook', '--events', 'order.paid', '--concurrency', '99'],
      /--concurrency must be at most 32/,
    ],
    [
      ['create', 'https://a.example/hook', '--events', 'order.paid', '--rate-per-second', 'many'],
      /--rate-per-second must be/,
    ],
    [
      ['deliveries', 'whe_1', '--state', 'lost'],
      /--state must be one of pending, delivered, failed, discarded|--state must be equal/,
    ],
    [['deliveries', 'whe_1', '--since', 'lately'], /^--since is no time that I know\. A time such as/],
    [['recover', 'whe_1', 'lately'], /^<since> is no time/],
    [['recover', 'whe_1', '2999-12-31'], /^<since> is yet to come\. A time such as/],
    [['recover', 'whe_1', '1h', '--until', '2h'], /^--until must be later than since\.$/m],
    [['recover', 'whe_1', '1h', '--only', 'some'], /--only must be/],
  ];
  for (const [[name = '', ...words], message] of wrong) {
    const { code, err } = await callWebhooks(t.context, name, ...words);
    t.is(code, 2, `${name}: ${err}`);
    t.regex(err, message);
  }
  const private_ = await callCli(
    ['webhooks:create', t.context.tenant.slug, 'https://user:pass@a.example', '--events', 'order.paid'],
    { ...environment, DATABASE_URL: t.context.services.config.databaseUrl },
  );
  t.is(private_.code, 1);
  t.notRegex(private_.err, / at /);
});

test.serial('webhooks:events lists the event types', async (t) => {
  const { code, out } = await callCli(['webhooks:events']);
  t.is(code, 0);
  t.regex(out, /^order\.paid +The payment has arrived/m);
  t.true(
    JSON.parse((await callCli(['webhooks:events', '--json'])).out).event_types.every(
      ({ schema, sample }: { schema: object; sample: object }) => schema && sample,
    ),
  );
});

const folder = mkdtempSync(join(tmpdir(), 'bulk-'));
test.after.always(() => rmSync(folder, { recursive: true }));

/** Call the command line while a worker runs. */
async function callBesideWorker(context: TestContext, ...words: string[]) {
  let isEnded = false;
  const ended = call(context, ...words).finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    await runJobs(context.services);
    await new Promise(setImmediate);
  }
  return ended;
}

test.serial('import and export move products through files, with their progress and the rejected rows', async (t) => {
  const { tenant } = t.context;
  const [given, errors, written] = ['given.csv', 'errors.csv', 'written.csv'].map((name) => join(folder, name));
  writeFileSync(given ?? '', 'slug,name,sku,price_cents\nbowl,Bowl,B-1,100\nBad Slug,Bad,B-2,100\n');
  const dry = await callBesideWorker(t.context, 'import', tenant.slug, 'products', given ?? '', '--dry-run');
  t.is(
    dry.out,
    '1 created, 0 updated, 0 unchanged.\n' +
      '1 row was rejected. With --errors <path> all of them are written to a file. The first:\n' +
      '  Row 3: slug must be written like oak-bowl.\n' +
      'Dry run: nothing was changed.\n',
  );
  const importTo = (path: string) =>
    callBesideWorker(t.context, 'import', tenant.slug, 'products', given ?? '', '--errors', path);
  const imported = await importTo(errors ?? '');
  t.is(imported.code, 1, 'rows were rejected');
  t.regex(
    imported.err,
    /^The import imp_\w+ continues if this command is interrupted; it is canceled at \/ops\/bulk\.$/m,
  );
  t.regex(imported.err, /\[#{20}\] 100 %, 2 of 2 rows/);
  t.regex(readFileSync(errors ?? '', 'utf8'), /^Bad Slug,Bad,B-2,100,3,slug must be/m);

  const full = await importTo('/dev/full');
  t.is(full.code, 1);
  t.regex(
    full.err,
    /\n0 created, 0 updated, 1 unchanged\. The rejected rows were not written to \/dev\/full: ENOSPC: .+\.\n$/,
  );

  const exported = await callBesideWorker(t.context, 'export', tenant.slug, 'products', '--to', written ?? '');
  t.deepEqual([exported.code, exported.out], [0, `1 rows were written to ${written}.\n`]);
  t.regex(readFileSync(written ?? '', 'utf8'), /^bowl,Bowl,/m);
});

test.serial('import and export end with a usage error for an unknown kind and a missing file', async (t) => {
  const { tenant } = t.context;
  t.is((await callBesideWorker(t.context, 'import', tenant.slug, 'nothing', 'x.csv')).code, 2);
  t.is((await callBesideWorker(t.context, 'import', tenant.slug, 'stock', 'x.csv', '--format', 'shopify')).code, 2);
  t.is((await callBesideWorker(t.context, 'export', tenant.slug, 'nothing', '--to', 'x.csv')).code, 2);
  t.is((await callBesideWorker(t.context, 'export', tenant.slug, 'stock')).code, 2);
});

test.serial('import, export and apply end with a usage error for a file that cannot be opened', async (t) => {
  const { tenant } = t.context;
  const [lost, given] = [join(folder, 'lost', 'file.csv'), join(folder, 'stock.csv')];
  writeFileSync(given, 'sku,quantity\nB-1,1\n');
  const [unread, unwritten] = ['cannot be read', 'cannot be written'];
  for (const [words, path, problem] of [
    [['import', tenant.slug, 'stock', lost], lost, `${unread}: no such file or folder`],
    [['import', tenant.slug, 'stock', folder], folder, `${unread}: it is a folder`],
    [['import', tenant.slug, 'stock', given, '--errors', lost], lost, `${unwritten}: no such file or folder`],
    [['export', tenant.slug, 'stock', '--to', folder], folder, `${unwritten}: it is a folder`],
    [['apply', folder], folder, `${unread}: it is a folder`],
  ] as const) {
    const { code, err } = await callBesideWorker(t.context, ...words);
    t.is(code, 2);
    t.is(err, `${path} ${problem}.\nSee npm run cli -- ${words[0]} --help.\n`);
  }
});
