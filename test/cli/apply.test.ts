import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { parse } from 'yaml';

import { type Applied, applyStore } from '#src/cli/apply/apply-store.ts';
import { reportApplied } from '#src/cli/apply/report-applied.ts';
import { RejectedInput } from '#src/cli/apply/section.ts';
import { loadStoreFile } from '#src/cli/apply/store-file.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { demoStoreFile } from '#src/dev/stack/start-stack.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import { productSlugs } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { closeStore, listKeys, readStore } from '#src/domain/tenants/index.ts';
import { listEndpoints } from '#src/domain/webhooks/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import { request } from '#test/domain/shipping/support.ts';
import { callCli, runCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';

// Serial: each run of apply holds a connection for long.
const test = anyTest as TestFn<TestContext>;
const { DATABASE_URL: _another, ...processEnvironment } = testEnvironment();
useContext(test, { environment: processEnvironment });

const exampleFile = fileURLToPath(new URL('../../src/cli/apply/store.example.yaml', import.meta.url));
const example = readFileSync(exampleFile, 'utf8');

/** What the example and the demo store read from the environment. */
const secrets = {
  STRIPE_SECRET_KEY: 'sk_test_hush_stripe',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_hush_stripe',
  STRIPE_WEBHOOK_SECRET: 'whsec_hush_stripe',
  SHIPPO_API_KEY: 'shippo_test_hush',
  SHIPPO_WEBHOOK_TOKEN: 'hush_token_hush_token',
  EASYPOST_API_KEY: 'EZTK_hush',
  STOREFRONT_URL: 'http://127.0.0.1:4998',
  ERP_WEBHOOK_URL: 'http://127.0.0.1:4999/hooks',
  ERP_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
};

/** A text with a store of its own: files of several tests may be applied to one database. */
const ownStore = (text = example) => {
  const slug = `cedar-${randomText(8)}`;
  return { slug, text: text.replace('slug: cedar-and-clay', `slug: ${slug}`) };
};

function load({ services }: TestContext, text: string, environment: Record<string, string> = secrets) {
  const loaded = loadStoreFile(text, environment, services.config.settings);
  if ('problems' in loaded)
    throw new Error(loaded.problems.map(({ line, field, detail }) => `${line} ${field} ${detail}`).join('\n'));
  return loaded.file;
}

interface Applying {
  dryRun?: boolean;
  prune?: boolean;
  setStock?: boolean;
  environment?: Record<string, string>;
}

async function apply(t: TestContext, text: string, { environment, ...options }: Applying = {}) {
  const { services } = t;
  const ctx = services.context({ actor: { kind: 'operator', id: 'cli' } });
  return applyStore(
    ctx,
    load(t, text, { ...secrets, ...environment }),
    { dryRun: false, prune: false, setStock: false, ...options },
    () => undefined,
  );
}

/** Where some words of the example stand: `line:column`. */
function placeOf(words: string): string {
  const lines = example.slice(0, example.indexOf(words)).split('\n');
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** What differed from the file: `updated product oak-bowl: name`. */
const changed = ({ changes }: Applied) =>
  changes
    .filter(({ action }) => action !== 'unchanged')
    .map(
      ({ action, subject, fields }) => `${action} ${subject}${action === 'updated' ? `: ${fields.join(', ')}` : ''}`,
    );

async function storeOf({ services }: TestContext, slug: string): Promise<Context | undefined> {
  const tenant = await services.tenants.bySlug(slug);
  return tenant && { ...services.context(), tenant };
}

test.serial('a new secret of the store, then apply, replace what a lost encryption key encrypted', async (t) => {
  const { slug, text } = ownStore();
  await apply(t.context, text);
  const environment = {
    ...processEnvironment,
    DATABASE_URL: t.context.services.config.databaseUrl,
    ...secrets,
    ENCRYPTION_KEYS: `k9:${randomBytes(32).toString('base64')}`,
  };
  const folder = await mkdtemp(join(tmpdir(), 'storefront-apply-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'store.yaml');
  await writeFile(file, text);
  const rejected = await callCli(['apply', file], environment);
  t.is(
    rejected.err,
    `ENCRYPTION_KEYS are not those of ${slug}; nothing was changed. No encryption key has the id "k1". ` +
      'Add it to ENCRYPTION_KEYS again. ' +
      `If that key is lost, first: npm run cli -- tenants rotate-secret ${slug}\n`,
  );
  t.is(rejected.code, 1);
  const created = await callCli(['webhooks:create', slug, 'https://erp.example/hook', '--events=order.*'], environment);
  t.is(created.err, rejected.err, 'other commands for the store end as well');
  const other = join(folder, 'other.yaml');
  await writeFile(other, ownStore().text);
  const added = await callCli(['apply', other], environment);
  t.regex(added.err, /lacks the key k1, with which the secrets of \d+ stores are encrypted/, 'and none is added');
  const rotated = await callCli(['tenants', 'rotate-secret', slug], environment);
  t.is(rotated.code, 0);
  t.regex(rotated.out, /^The one before could not be decrypted\. .* run this again with their ENCRYPTION_KEYS\.$/m);
  const applied = await callCli(['apply', file], environment);
  t.is(applied.code, 0, applied.err);
  t.regex((await callCli(['apply', file], environment)).out, /^Nothing to change/);

  const ctx = await storeOf(t.context, slug);
  const keys = await read<{ id: string }>(
    ctx as Context,
    sql`
    select distinct split_part(sealed, ':', 1) as id from (
      select secret_key_sealed as sealed from payment_accounts
      union all select secret_sealed from payment_webhook_secrets where state = 'current'
      union all select unnest(array[api_key_sealed, webhook_token_sealed]) from shipping_accounts
      union all select api_key_sealed from second_shipping_accounts
      union all select secret_sealed from webhook_endpoints
      union all select unnest(array[session_secret_sealed, staff_secret_sealed]) from tenants where slug = ${slug}) s
    where sealed is not null`,
  );
  t.deepEqual(keys, [{ id: 'k9' }]);
});

test.serial('apply creates a store from the example, and changes nothing when repeated', async (t) => {
  const { slug, text } = ownStore();
  const first = await apply(t.context, text);
  t.deepEqual(
    first.keys.map(({ name }) => name),
    ['storefront', 'backend'],
  );
  t.deepEqual(first.notes, []);
  t.deepEqual(changed(first), [
    `created store ${slug}`,
    `updated modules of ${slug}: customer_accounts`,
    'created payments',
    'created shipping',
    'created second_shipping',
    'created key storefront',
    'created key backend',
    'created staff o…@cedar.example',
    'created product oak-bowl',
    'created product coffee',
    'created content article/care-for-wood',
    'created content announcement/autumn',
    'created gift card …NPQR',
    'created promo code WELCOME10',
    'created promo code FIVEOFF',
    'created partner maker',
    'created webhook endpoint https://erp.cedar.example/hooks',
    'created reminders',
  ]);
  for (const { value } of first.keys) t.truthy(await t.context.services.keys.open(value));

  const second = await apply(t.context, text);
  t.deepEqual(changed(second), []);
  t.is(second.changes.length, first.changes.length);
  t.deepEqual(second.keys, []);
});

test.serial('apply accepts the demo store', async (t) => {
  const { text } = ownStore(readFileSync(demoStoreFile, 'utf8'));
  const first = await apply(t.context, text);
  t.deepEqual(
    first.keys.map(({ name }) => name),
    ['storefront', 'backend'],
  );
  t.is(first.changes.filter(({ subject }) => subject.startsWith('product ')).length, 13);
  t.deepEqual(changed(await apply(t.context, text)), []);
});

test.serial('apply accepts the same store as JSON', async (t) => {
  const { text } = ownStore();
  const json = JSON.stringify(parse(text.replaceAll(/\$\{([A-Z_]+)\}/g, '"$${$1}"')), null, 2);
  await apply(t.context, text);
  t.deepEqual(changed(await apply(t.context, json)), []);
});

test.serial('apply --dry-run shows the old and new value of each field, shortened and without secrets', async (t) => {
  const { text } = ownStore();
  await apply(t.context, text);
  const changedText = text
    .replace('price_cents: 3800', 'price_cents: 3900')
    .replace(/^ {2}name: .*$/m, `  name: "${'Long '.repeat(30)}"`);
  const { lines = [] } = reportApplied(
    await apply(t.context, changedText, { dryRun: true, environment: { STRIPE_SECRET_KEY: 'sk_test_hush_other' } }),
  );
  const shown = lines.join('\n');
  t.regex(shown, /^ {4}variants\.BOWL-S\.price_cents: 3800 → 3900$/m);
  t.regex(shown, /^ {4}name: ".+" → "(Long )+L?o?n?g?…$/m);
  t.true(lines.every((line: string) => line.length < 200));
  t.regex(shown, /^~ payments: secret_key$/m);
  t.notRegex(shown, /hush|sealed/);
});

test.serial('apply --dry-run reports what would change, and changes nothing', async (t) => {
  const { slug, text } = ownStore();
  const dry = await apply(t.context, text, { dryRun: true });
  t.is(await storeOf(t.context, slug), undefined);
  t.deepEqual(dry.keys, []);
  const real = await apply(t.context, text);
  t.deepEqual(changed(dry), changed(real));
  t.deepEqual(
    changed(await apply(t.context, text.replace('price_cents: 3800', 'price_cents: 3900'), { dryRun: true })),
    ['updated product oak-bowl: variants.BOWL-S.price_cents'],
  );
  t.deepEqual(changed(await apply(t.context, text)), []);
});

test.serial('apply changes nothing when a domain rejects a part, and reports its place in the file', async (t) => {
  const { slug, text } = ownStore();
  const backwards = 'starts_at: 2026-02-01T00:00:00Z, ends_at: 2026-01-01T00:00:00Z';
  const wrong = text.replace('code: FIVEOFF, type: fixed', `code: FIVEOFF, ${backwards}, type: fixed`);
  const error = await t.throwsAsync(apply(t.context, wrong), { instanceOf: RejectedInput });
  t.deepEqual(
    error.issues.map(({ path }) => path),
    ['/promo_codes/1/ends_at'],
  );
  t.is(await storeOf(t.context, slug), undefined);
});

test.serial('apply reports a SKU that is taken by a product outside the file with its place in the file', async (t) => {
  const { text } = ownStore();
  await apply(t.context, text);
  const renamed = text.replace('slug: coffee', 'slug: coffee-of-the-month');
  const error = await t.throwsAsync(apply(t.context, renamed), { instanceOf: RejectedInput });
  t.deepEqual(
    error.issues.map(({ path }) => path),
    ['/products/1/variants/0/sku'],
  );
});

test.serial('apply leaves out the value that a promo code of another type has, as the API does', async (t) => {
  const { slug, text } = ownStore();
  await apply(t.context, text.replace('type: fixed', 'value: 5, type: fixed'));
  const ctx = await storeOf(t.context, slug);
  const saved = sql`select percent, value_cents::int as cents from promo_codes where code = 'FIVEOFF'`;
  t.deepEqual(ctx && (await readOne(ctx, saved)), { percent: null, cents: 500 });
  t.deepEqual(changed(await apply(t.context, text)), []);
});

test.serial('apply reports a promo code for an unknown product with its place', async (t) => {
  const { text } = ownStore();
  const wrong = text.replace('products: []', 'products: [coffee, oka-bowl]');
  const error = await t.throwsAsync(apply(t.context, wrong), { instanceOf: RejectedInput });
  t.deepEqual(
    error.issues.map(({ path, detail }) => [path, detail]),
    [['/promo_codes/0/products/1', 'is no product of this store: oka-bowl']],
  );
  await apply(t.context, text.replace('products: []', 'products: [coffee, oak-bowl]'));
});

test.serial(
  "apply rejects a provider's key of the other environment, of another kind or in connect mode, and stores nothing",
  async (t) => {
    const wrongs: [
      path: string,
      detail: RegExp,
      environment: Record<string, string>,
      text?: (text: string) => string,
    ][] = [
      ['/payments/secret_key', /^is a live key/, { STRIPE_SECRET_KEY: 'sk_live_hush' }],
      ['/payments/secret_key', /^is a publishable key/, { STRIPE_SECRET_KEY: 'pk_test_hush' }],
      ['/payments/publishable_key', /^is a live key/, { STRIPE_PUBLISHABLE_KEY: 'pk_live_hush' }],
      ['/payments/webhook_secret', /white space/, { STRIPE_WEBHOOK_SECRET: 'whsec_hush\n' }],
      ['/shipping/api_key', /^is a live key/, { SHIPPO_API_KEY: 'shippo_live_hush' }],
      ['/second_shipping/api_key', /^is a live key/, { EASYPOST_API_KEY: 'EZAK_hush' }],
      ['/payments/secret_key', /connect mode/, {}, (text) => text.replace('mode: direct', 'mode: connect')],
    ];
    for (const [path, detail, environment, change = (text: string) => text] of wrongs) {
      const { slug, text } = ownStore();
      const error = await t.throwsAsync(
        apply(t.context, change(text), { environment }),
        { instanceOf: RejectedInput },
        path,
      );
      t.deepEqual(
        error.issues.map((issue) => issue.path),
        [path],
      );
      t.regex(error.issues[0]?.detail ?? '', detail);
      t.is(await storeOf(t.context, slug), undefined);
    }
  },
);

test.serial('apply reports changes by field, and an existing key keeps its value', async (t) => {
  const { slug, text } = ownStore();
  const { keys } = await apply(t.context, text);
  const second = await apply(
    t.context,
    text
      .replace('name: Cedar & Clay\n', 'name: Cedar & Sons\n')
      .replace('kind: secret, scopes: [admin:write, ', 'kind: secret, expires_at: 2030-01-01T00:00:00Z, scopes: [')
      .replace('reviews: true', 'reviews: false')
      .replace('title: How to care for wood', 'title: Care for wood'),
  );
  t.deepEqual(changed(second), [
    `updated store ${slug}: name`,
    `updated modules of ${slug}: reviews`,
    'updated key backend: scopes, expires_at',
    'updated content article/care-for-wood: title',
  ]);
  t.deepEqual(second.keys, []);
  const ctx = await storeOf(t.context, slug);
  t.is(ctx && (await listKeys(ctx)).rows.length, 2);
  t.truthy(await t.context.services.keys.open(keys[0]?.value ?? ''));
});

test.serial('apply sets stock and balances of a new store, and later only with --set-stock', async (t) => {
  const { text } = ownStore();
  await apply(t.context, text);
  const restocked = text.replace('stock: 40', 'stock: 50').replace('balance_cents: 5000', 'balance_cents: 7500');
  t.deepEqual(changed(await apply(t.context, restocked)), []);
  t.deepEqual(changed(await apply(t.context, restocked, { setStock: true })), [
    'updated product oak-bowl: variants.BOWL-S.stock',
    'updated gift card …NPQR: balance_cents',
  ]);
  t.deepEqual(changed(await apply(t.context, restocked, { setStock: true })), []);
});

test.serial('apply deletes what a list no longer names only with --prune', async (t) => {
  const { slug, text } = ownStore();
  const { keys } = await apply(t.context, text);
  const document = parse(text.replaceAll(/\$\{([A-Z_]+)\}/g, '"$${$1}"'));
  const [bowl] = document.products;
  const shorter = JSON.stringify({
    store: document.store,
    keys: document.keys.slice(0, 1),
    products: [{ ...bowl, variants: bowl.variants.slice(0, 1) }],
    content: document.content.slice(0, 1),
    promo_codes: document.promo_codes.slice(0, 1),
    gift_cards: [],
    partners: [],
    webhook_endpoints: [],
  });
  t.deepEqual(changed(await apply(t.context, shorter)), []);
  const removed = [
    'removed key backend',
    'removed product coffee',
    'updated product oak-bowl: variants.BOWL-L',
    'removed content announcement/autumn',
    'removed promo code FIVEOFF',
    'removed partner maker',
    'removed webhook endpoint https://erp.cedar.example/hooks',
  ];
  t.deepEqual(changed(await apply(t.context, shorter, { prune: true, dryRun: true })), removed);
  t.deepEqual(changed(await apply(t.context, shorter, { prune: true })), removed);
  t.deepEqual(changed(await apply(t.context, shorter, { prune: true })), []);

  const {
    keys: [again],
  } = await apply(t.context, text);
  t.is(again?.name, 'backend');
  t.not(again?.value, keys[1]?.value, 'a revoked key does not come back');
  const ctx = await storeOf(t.context, slug);
  t.is(ctx?.tenant.slug, slug);
});

test.serial('apply with --prune makes room for what takes the place of what is removed', async (t) => {
  const { slug, text } = ownStore();
  const onlyStore = text.slice(0, text.indexOf('modules:'));
  const variants = [{ sku: 'CUP', price_cents: 900, stock: 5 }];
  const storeWith = (name: string) => {
    const events = ['order.paid'];
    const endpoints = Array.from({ length: 50 }, (_, number) => ({ url: `https://${name}.example/${number}`, events }));
    const products = [{ slug: name, name, variants }];
    return `${onlyStore}\nproducts: ${JSON.stringify(products)}\nwebhook_endpoints: ${JSON.stringify(endpoints)}`;
  };
  await apply(t.context, storeWith('cup'));
  await apply(t.context, storeWith('beaker'), { prune: true });
  const ctx = await storeOf(t.context, slug);
  t.deepEqual(ctx && (await productSlugs(ctx)), ['beaker']);
  t.is(ctx && (await listEndpoints(ctx, { limit: 100 })).rows.length, 50);
});

test.serial('apply invites new staff, revokes with --prune who is not named, and keeps the last owner', async (t) => {
  const { slug, text } = ownStore();
  const onlyStore = text.slice(0, text.indexOf('modules:'));
  const withStaff = (...staff: object[]) => `${onlyStore}\nstaff: ${JSON.stringify(staff)}`;
  const [ada, grace] = [
    { email: 'Ada@cedar.example', name: 'Ada', role: 'owner' },
    { email: 'grace@cedar.example', name: 'Grace', role: 'support' },
  ];
  await apply(t.context, withStaff(ada, grace));
  t.deepEqual(changed(await apply(t.context, withStaff(ada, { ...grace, role: 'manager' }))), [
    'updated staff g…@cedar.example: role',
  ]);
  await t.throwsAsync(apply(t.context, withStaff(grace), { prune: true }), { code: 'last_owner' });
  t.deepEqual(changed(await apply(t.context, withStaff({ ...grace, role: 'owner' }), { prune: true })), [
    'updated staff g…@cedar.example: role',
    'removed staff a…@cedar.example',
  ]);
  // Whoever comes first in the file: the new owner takes the place of the last one.
  t.deepEqual(changed(await apply(t.context, withStaff(grace, ada))), [
    'updated staff g…@cedar.example: role',
    'created staff a…@cedar.example',
  ]);
  const ctx = await storeOf(t.context, slug);
  const mails =
    ctx &&
    (await read<{ recipient: string }>(
      ctx,
      sql`select recipient from mails where kind = 'staff_invitation' order by id`,
    ));
  t.deepEqual(
    mails?.map(({ recipient }) => recipient),
    ['ada@cedar.example', 'grace@cedar.example', 'ada@cedar.example'],
  );
});

test.serial('apply leaves a list alone that is not in the file, also with --prune', async (t) => {
  const { slug, text } = ownStore();
  await apply(t.context, text);
  const onlyStore = text.slice(0, text.indexOf('modules:'));
  t.deepEqual(changed(await apply(t.context, onlyStore, { prune: true })), []);
  const ctx = await storeOf(t.context, slug);
  t.is(
    ctx &&
      (await read(ctx, sql`select 1 from products where tenant_id = ${ctx.tenant.id} and removed_at is null`)).length,
    2,
  );
});

test.serial('apply records every change in the audit log with the operator, and no secret', async (t) => {
  const { slug, text } = ownStore();
  const { changes } = await apply(t.context, text);
  const ctx = await storeOf(t.context, slug);
  if (!ctx) return t.fail();
  const { rows: entries } = await listAudit(ctx, { limit: 100 });
  t.is(entries.length, changes.length);
  t.true(entries.every(({ actorKind, actorId }) => actorKind === 'operator' && actorId === 'cli'));
  t.true(entries.some(({ action, subjectId }) => action === 'key.created' && subjectId === 'key backend'));
  t.false(JSON.stringify(entries).includes('hush'));
  t.false(JSON.stringify(entries).includes('ABCD-EFGH'));

  await apply(t.context, text);
  t.is(
    (await listAudit(ctx, { limit: 100 })).rows.length,
    entries.length,
    'nothing to change is nothing to write down',
  );
});

test.serial('two concurrent applies of the same file create one store', async (t) => {
  const { slug, text } = ownStore();
  const applied = await Promise.all([apply(t.context, text), apply(t.context, text)]);
  t.deepEqual(applied.map(({ keys }) => keys.length).toSorted(), [0, 2]);
  t.truthy(await storeOf(t.context, slug));
});

test.serial('apply leaves a closed store closed, and says so', async (t) => {
  const { slug, text } = ownStore();
  await apply(t.context, text);
  const ctx = await storeOf(t.context, slug);
  t.truthy(ctx);
  if (!ctx) return;
  await transact(ctx, closeStore);
  const { notes } = await apply(t.context, text);
  t.true(notes.includes(`${slug} is closed, and stays so. To open it again: tenants reopen ${slug}`), notes.join());
  t.truthy((await readStore(ctx)).closedAt);
});

test.serial('apply with another currency says what amounts that the file does not name become', async (t) => {
  const { text } = ownStore();
  const withoutCards = text.replace(/^gift_cards:[\s\S]*?(?=^\w)/m, '');
  await apply(t.context, withoutCards);
  const { notes } = await apply(t.context, withoutCards.replace('currency: USD', 'currency: EUR'), { dryRun: true });
  t.deepEqual(notes, [
    'Amounts have no currency of their own: those that the file does not name, such as prices, keep their numbers, ' +
      'and are in EUR now.',
  ]);
});

test.serial('apply says how to get a signing secret for a store without one', async (t) => {
  const { slug, text } = ownStore();
  const { notes } = await apply(t.context, text.replace(/^ *webhook_secret:.*\n/m, ''));
  t.deepEqual(notes, [
    `Payments have no webhook_secret, so events are only found by polling: run "webhooks:register ${slug}".`,
  ]);
});

test.serial('apply says what is in progress in the account of a provider that another key may leave', async (t) => {
  const { slug, text } = ownStore();
  const others = { STRIPE_SECRET_KEY: 'sk_test_another', SHIPPO_API_KEY: 'shippo_test_another' };
  const another = { dryRun: true, environment: others };
  await apply(t.context, text);
  t.deepEqual((await apply(t.context, text, another)).notes, []);
  const ctx = await storeOf(t.context, slug);
  t.truthy(ctx);
  if (!ctx) return;
  await buildSubscription(ctx);
  await request(ctx);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`update labels set buying_since = now() where tenant_id = ${ctx.tenant.id}`),
  );
  t.deepEqual((await apply(t.context, text)).notes, []);
  const lost = 'is of another account, this store no longer learns what becomes of';
  t.deepEqual((await apply(t.context, text, another)).notes, [
    `If the new secret_key of payments ${lost} subscriptions that Stripe still charges: 1 (cancel them).`,
    `If the new api_key of shipping ${lost} labels that are being bought or voided, or may have been: 1 (wait for them).`,
  ]);
});

test('apply rejects a file, or standard input, that is not UTF-8, with the line', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'apply-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'store.yaml');
  const text = Buffer.from('store:\n  name: Crème\n', 'latin1');
  await writeFile(file, text);
  for (const [source, name] of [
    [file, file],
    ['-', 'standard input'],
  ] as const) {
    const { code, out, err } = await callCli(['apply', source, '--json'], testEnvironment(), undefined, text);
    const detail = 'is not UTF-8: save the file in that encoding';
    t.is(code, 1);
    t.is(err, `The store file has errors in one place; nothing was changed:\n  ${name}:2:11  ${detail}\n`);
    t.deepEqual(JSON.parse(out).problems, [{ line: 2, column: 11, field: '', detail }]);
  }
});

test.serial('apply as a process creates, changes nothing, and fails, each with its exit code', async (t) => {
  const { services } = t.context;
  const environment = { ...processEnvironment, DATABASE_URL: services.config.databaseUrl, ...secrets };
  const { slug, text } = ownStore();

  const made = await runCli(['apply', '-', '--json'], environment, text);
  t.deepEqual([made.code, made.err], [0, '']);
  const report = JSON.parse(made.out);
  t.deepEqual([report.store, report.dry_run, report.unchanged, report.notes], [slug, false, 0, []]);
  t.deepEqual(
    report.keys.map(({ name }: { name: string }) => name),
    ['storefront', 'backend'],
  );
  t.regex(report.keys[0].value, /^pk_test_/);
  t.regex(report.keys[1].value, /^sk_test_/);

  const again = await runCli(['apply', '-'], environment, text);
  t.deepEqual(
    [again.code, again.out, again.err],
    [0, `Nothing to change: all ${report.changes.length} items match the file.\n`, ''],
  );

  const refused = await runCli(['apply', exampleFile], {
    ...environment,
    STRIPE_SECRET_KEY: '',
    ERP_WEBHOOK_SECRET: '',
  });
  t.is(refused.code, 1);
  t.is(refused.out, '');
  t.deepEqual(refused.err.split('\n').slice(0, 3), [
    'The store file has errors in 2 places; nothing was changed:',
    `  ${exampleFile}:${placeOf('${STRIPE_SECRET_KEY}')}  needs the variable STRIPE_SECRET_KEY, which is not set`,
    `  ${exampleFile}:${placeOf('${ERP_WEBHOOK_SECRET}')}  needs the variable ERP_WEBHOOK_SECRET, which is not set`,
  ]);
  const live = await runCli(['apply', exampleFile], { ...environment, STRIPE_SECRET_KEY: 'sk_live_hush' });
  t.is(live.code, 1);
  t.is(
    live.err.split('\n')[1],
    `  ${exampleFile}:${placeOf('secret_key: ${STRIPE_SECRET_KEY}')}  payments.secret_key is a live key, ` +
      'and here is the test environment',
  );
  t.false((made.out + made.err + again.out + refused.err + live.err).includes('hush'));
});

/** Files in a folder of their own, with the environment of a call that applies them. */
async function writeFiles(t: ExecutionContext<TestContext>, texts: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'apply-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const files = Object.keys(texts).map((name) => join(folder, name));
  for (const file of files) await writeFile(file, texts[basename(file)] ?? '');
  const environment = { ...processEnvironment, DATABASE_URL: t.context.services.config.databaseUrl, ...secrets };
  return { files, apply: (...words: string[]) => callCli(['apply', ...files, ...words], environment) };
}

test.serial('apply of several files changes nothing where one is wrong, and names it', async (t) => {
  const first = ownStore();
  const second = ownStore();
  const { files, apply } = await writeFiles(t, {
    'a.yaml': first.text,
    'b.yaml': second.text.replace('currency: USD', 'currency: usd'),
    'c.yaml': first.text.replace('price_cents: 3800', 'price_cents: 3900'),
  });
  const { code, out, err } = await apply('--json');
  t.is(code, 1);
  const [, , c] = files;
  const lines = err.trimEnd().split('\n');
  t.is(lines[0], 'The store files have errors in 2 places; nothing was changed:');
  t.true(lines[1]?.startsWith(`  ${files[1]}:`) && lines[1].includes('  store.currency '), lines[1]);
  t.is(lines[2]?.replace(/:\d+:\d+/, ''), `  ${c}  store.slug is that of ${files[0]}, too`);
  t.deepEqual(
    JSON.parse(out).problems.map(({ file, field }: Record<string, string>) => [file, field]),
    [
      [files[1], 'store.currency'],
      [c, 'store.slug'],
    ],
  );
  t.is(await storeOf(t.context, first.slug), undefined);
  t.is(await storeOf(t.context, second.slug), undefined);
});

test.serial('apply of several files prints the keys of each store, also where one of them is rejected', async (t) => {
  const stores = [ownStore(), ownStore(), ownStore()] as const;
  const backwards = 'starts_at: 2026-02-01T00:00:00Z, ends_at: 2026-01-01T00:00:00Z';
  const reject = (text: string) =>
    text.replace('code: FIVEOFF, type: fixed', `code: FIVEOFF, ${backwards}, type: fixed`);
  const [a, b, c] = stores;
  const { files, apply } = await writeFiles(t, { 'a.yaml': a.text, 'b.yaml': reject(b.text), 'c.yaml': c.text });

  const dry = await apply('--dry-run');
  t.is(dry.code, 1, 'its promo code is rejected by the database of the store');
  t.is(dry.out.match(/^Dry run: nothing was changed\.$/gm)?.length, 2);
  for (const { slug } of stores) t.is(await storeOf(t.context, slug), undefined);

  const made = await apply('--json');
  t.is(made.code, 1);
  const [ofA, ofB, ofC, ...others] = JSON.parse(made.out);
  t.deepEqual(others, []);
  t.deepEqual(
    [ofA, ofC].map(({ file, store, dry_run }) => [file, store, dry_run]),
    [
      [files[0], a.slug, false],
      [files[2], c.slug, false],
    ],
  );
  for (const { value } of [...ofA.keys, ...ofC.keys]) t.truthy(await t.context.services.keys.open(value));
  t.is(ofA.keys.length + ofC.keys.length, 4);
  t.deepEqual([ofB.file, ofB.store, ofB.problems[0].field], [files[1], b.slug, 'promo_codes[1].ends_at']);
  t.regex(ofB.error, new RegExp(`^The store file has errors in one place; nothing of ${b.slug} was changed:\n`));
  t.is(await storeOf(t.context, b.slug), undefined);

  const again = await apply();
  t.is(again.code, 1);
  t.regex(again.out, new RegExp(`^${a.slug} \\(${files[0]}\\)\nNothing to change: `));
  t.regex(again.out, new RegExp(`\n\n${b.slug} \\(${files[1]}\\) failed:\nThe store file has errors in one place`));
  t.true(again.out.endsWith(`\n\n2 of 3 files are done. Failed: ${files[1]}\n`), again.out);
});

test.serial(
  'apply of several files whose output is read no more ends as failed, because stores are left',
  async (t) => {
    const stores = [ownStore(), ownStore(), ownStore()];
    const { files } = await writeFiles(t, Object.fromEntries(stores.map(({ text }, index) => [`${index}.yaml`, text])));
    const script = '"$0" "$@" | true; exit ${PIPESTATUS[0]}';
    const words = ['-c', script, process.execPath, 'src/cli/main.ts', 'apply', ...files];
    const child = spawn('bash', words, {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, ...processEnvironment, ...secrets, DATABASE_URL: t.context.services.config.databaseUrl },
    });
    const [code] = await once(child, 'exit');
    t.is(code, 1);
    t.is(await storeOf(t.context, stores[2]?.slug ?? ''), undefined);
  },
);

test.serial(
  'apply of several files changes nothing where the encryption keys are not those of one store',
  async (t) => {
    const known = ownStore();
    await apply(t.context, known.text);
    const added = ownStore();
    const { apply: applyFiles } = await writeFiles(t, { 'a.yaml': added.text, 'b.yaml': known.text });
    const lose = (from: string, to: string) =>
      t.context.services.execute(sql`
      update tenants set session_secret_sealed = replace(session_secret_sealed, ${from}, ${to})
      where slug = ${known.slug}`);
    await lose('k1:', 'k0:');
    const { code, err } = await applyFiles();
    await lose('k0:', 'k1:');
    t.is(code, 1);
    t.regex(err, new RegExp(`^ENCRYPTION_KEYS are not those of ${known.slug}; nothing was changed\\.`));
    t.is(await storeOf(t.context, added.slug), undefined);
  },
);
