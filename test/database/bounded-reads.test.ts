import anyTest, { type TestFn } from 'ava';
import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { asPlatform, transact } from '#src/database/transact.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import { readOpenBusiness, readOverview } from '#src/domain/backoffice/index.ts';
import { listOperations } from '#src/domain/bulk/index.ts';
import { findEntry, listActiveAnnouncements } from '#src/domain/content/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listCustomers } from '#src/domain/customers/index.ts';
import { listLeads } from '#src/domain/leads/index.ts';
import { listManagedOrders } from '#src/domain/orders/index.ts';
import { listPartners } from '#src/domain/partners/index.ts';
import { listManagedProductsByWords, listProductsByWords } from '#src/domain/search/index.ts';
import { listLabels } from '#src/domain/shipping/index.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import type { Tenant } from '#src/domain/tenants/index.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { fillStore } from '#test/bench/lib/fill-store.ts';
import { serveApi } from '#test/support/api.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { nameOf } from '#test/support/every-route.ts';
import { explainStatements } from '#test/support/explain-statements.ts';
import { buildKey } from '#test/support/factories/keys.ts';

/*
 * What reads up to a number of rows, however many there are: test/database/plans.test.ts excepts it, because its store
 * has fewer. Here a store has more.
 */

const test = anyTest as TestFn<TestContext>;
useContext(test);

const count = 4000;

let large: Tenant | undefined;

/** The context of a large store that the tests share, beside many small ones. The last tests change it. */
async function inLargeStore({ services, ctx }: TestContext): Promise<Context> {
  if (!large) {
    large = await fillStore(services, count);
    await asPlatform(services.context(), 'test', async ({ tx }) => {
      await tx.execute(sql`
        insert into customers (tenant_id, id, email, name, name_words, created_at)
        select 'ten_' || i % 2000, 'cus_' || i, i || '@example.com', 'Anna Wells', '{wells,anna}', now()
        from generate_series(1, ${5 * count}::int) as i`);
      await tx.execute(sql`
        insert into customer_names (tenant_id, word, customer_id)
        select tenant_id, unnest(name_words), id from customers where tenant_id <> ${large?.id}`);
    });
    await services.execute(rawSql('analyze'));
  }
  return { ...ctx, tenant: large };
}

/** What is read, and at most how many rows. */
const works: readonly (readonly [string, number, (ctx: Context) => Promise<unknown>])[] = [
  // By either order of reading: the newest 10,000 are all of them here.
  ['words of all products', count + 1000, (ctx) => listManagedProductsByWords(ctx, { q: 'stoneware made' })],
  ['a short word of a language without spaces', 1100, (ctx) => listManagedProductsByWords(ctx, { q: '茶' })],
  ['a word of few products', 2500, (ctx) => listManagedProductsByWords(ctx, { q: 'zeppelin' })],
  ["a shopper's word of few products", 2500, (ctx) => listProductsByWords(ctx, { q: 'stoneware zeppelin' })],
  [
    "a shopper's word of all products, none of which is in a category",
    count + 1000,
    (ctx) => listProductsByWords(ctx, { q: 'stoneware', category: 'none', tag: 'clay' }),
  ],
  ['what waits in a store', 2500, (ctx) => readOverview(ctx, scopes)],
  ['orders without a label, of which there is none', 100, (ctx) => listManagedOrders(ctx, { without_label: true })],
  // Before PostgreSQL 17, it reads them all for the page.
  ['customers with a name that all have', 3100, (ctx) => listCustomers(ctx, { q: 'anna' })],
  // What is read for the other word is an index alone.
  [
    'customers with a name that few have, and all',
    2 * count + 100,
    (ctx) => listCustomers(ctx, { q: 'anna zeppelin' }),
  ],
  ['customers with a name that none has', 100, (ctx) => listCustomers(ctx, { q: 'nobody' })],
  ['orders of customers with a name that all have', 2300, (ctx) => listManagedOrders(ctx, { q: 'anna' })],
  [
    'orders of customers with names that all have',
    5 * count + 300,
    (ctx) => listManagedOrders(ctx, { q: 'anna well' }),
  ],
  ['orders of customers with a name that few have', 100, (ctx) => listManagedOrders(ctx, { q: 'zeppelin' })],
  ['orders of customers with a name that none has', 100, (ctx) => listManagedOrders(ctx, { q: 'nobody' })],
  [
    'imports of a kind that has none',
    100,
    (ctx) => listOperations(ctx, { type: 'import', kinds: ['content', 'partners'] }),
  ],
  ['labels of a state that none has', 100, (ctx) => listLabels(ctx, { state: 'voided' })],
  [
    'entries of the audit log about a kind that none has',
    100,
    (ctx) => listAudit(ctx, { subjectKind: 'order', limit: 20 }),
  ],
  ['announcements, all of which have ended', 100, (ctx) => listActiveAnnouncements(ctx, {})],
  [
    'an entry by its name',
    100,
    (ctx) => findEntry(ctx, 'announcement', 'open-house-with-tea-and-a-tour-of-the-kiln-3000'),
  ],
  ['partners, one of whom has all sales, and lost a part of each', count + 100, (ctx) => listPartners(ctx, {})],
  ['leads of a source that none has', 100, (ctx) => listLeads(ctx, { source: 'quiz' })],
];

test.serial('what reads up to a number of rows reads no more of a large store', async (t) => {
  const { services } = t.context;
  const ctx = await inLargeStore(t.context);
  const beyond: string[] = [];
  for (const [name, readMax, work] of works) {
    for (const { read, kind, scans } of await explainStatements(services, () => work(ctx)))
      if (read > readMax) beyond.push(`${name}: ${read} rows (${kind}) ${scans.join('; ')}`);
  }
  t.deepEqual(beyond, []);
});

test.serial('a list goes on after a page that is full where its search ends', async (t) => {
  const { services } = t.context;
  const ctx: Context = { ...t.context.ctx, tenant: await fillStore(services, 1000) };
  for (const category of ['kitchen', 'garden']) {
    const filter = { tag: 'clay', category };
    const searched = await listProductsByWords(ctx, { ...filter, limit: 1000 });
    t.not(searched.cursor, null);
    const full = await listProductsByWords(ctx, { ...filter, limit: searched.rows.length });
    t.not(full.cursor, null, category);
  }
});

test.serial('an owner finds every product with a word, whether or not many of the newest have it', async (t) => {
  const ctx = await inLargeStore(t.context);
  for (const [q, expected] of [
    ['mug', count / 4],
    ['zeppelin', count / 1000],
    // The newest thousand of all, and one more.
    ['made', 1001],
  ] as const) {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listManagedProductsByWords(ctx, { q, cursor, limit: 100 });
      found.push(...page.rows.map(({ id }) => id));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    t.is(new Set(found).size, expected, q);
    t.deepEqual(found, found.toSorted().reverse(), q);
    if (q === 'made') t.is(found.at(-1), `prod_${String(count - 1000).padStart(26, '0')}`);
  }
});

test.serial('an owner finds every customer with two words of a name that thousands of newer ones have', async (t) => {
  const ctx = await inLargeStore(t.context);
  for (const [q, expected] of [
    ['anna wellington', count - count / 1000],
    ['well ann', count - count / 1000],
    ['zeppelin anna', count / 1000],
    // The newest thousand.
    ['anna', 1000],
  ] as const) {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listCustomers(ctx, { q, cursor, limit: 100 });
      found.push(...page.rows.map(({ id }) => id));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    t.is(new Set(found).size, expected, q);
    t.deepEqual(found, found.toSorted().reverse(), q);
  }
});

test.serial(
  'the unsent orders of a store are counted without their items, where nothing of them is returned',
  async (t) => {
    const { services } = t.context;
    const ctx = await inLargeStore(t.context);
    await transact(ctx, ({ tx }) =>
      tx.execute(sql`update orders set fulfillment_status = 'unfulfilled' where tenant_id = ${ctx.tenant.id}`),
    );
    await services.execute(rawSql('analyze'));
    t.is((await readOpenBusiness(ctx)).unsentOrders, count);
    const explained = await explainStatements(services, () => readOpenBusiness(ctx));
    const ofItems = explained.flatMap(({ scans }) => scans).filter((scan) => scan.includes('order_items'));
    t.true(ofItems.length > 0);
    t.deepEqual(
      ofItems.filter((scan) => !scan.endsWith(': 0')),
      [],
    );
  },
);

/** Of each filter a value that all rows have, where there are such rows, and one that none has. */
const values: Readonly<Record<string, readonly string[]>> = {
  status: ['paid', 'closed', 'active', 'published', 'refunded', 'past_due', 'draft'],
  fulfillment_status: ['unfulfilled', 'exception'],
  state: ['purchased', 'voided'],
  reason_code: ['not_required', 'no_rates'],
  email: ['shopper@example.com', 'nobody@example.com'],
  needs_attention: ['true', 'false'],
  without_label: ['true', 'false'],
  from: ['2020-01-01T00:00:00Z'],
  to: ['2100-01-01T00:00:00Z'],
  since: ['2020-01-01T00:00:00Z'],
  updated_since: ['2020-01-01T00:00:00Z'],
  q: ['ord-7', 'anna'],
  tag: ['clay', 'none'],
  category: ['kitchen', 'none'],
  subject_kind: ['product', 'order'],
  subject_id: [`prod_${'7'.padStart(26, '0')}`],
  product_id: [`prod_${'7'.padStart(26, '0')}`],
  variant_id: [`var_${'7'.padStart(26, '0')}`],
};

/*
 * By the generic plan, which does not know how frequent the values are. One that does may sort what is no more than some
 * times a page's search.
 */
test.serial('no two filters of a list of the owner make it read a whole table', async (t) => {
  const { services } = t.context;
  const ctx = await inLargeStore(t.context);
  await makeAlike(ctx);
  await services.execute(rawSql('analyze'));
  const key = await buildKey(ctx, scopes);
  const api = await serveApi(services, { isRecorded: false });
  t.teardown(() => api.close());
  const lists = routes.filter(({ method, path }) => method === 'get' && /\/admin\/[a-z-]+$/.test(path));
  const beyond: string[] = [];
  let requests = 0;
  for (const route of lists) {
    for (const query of pairsOf(route)) {
      requests += 1;
      const explained = await explainStatements(
        services,
        async () =>
          t.is((await api.call('GET', `${route.path}?${query}`, { key })).status, 200, `${nameOf(route)} ${query}`),
        { pattern: / limit /, isLarge: true },
      );
      for (const { read, kind, scans } of explained)
        if (kind === 'generic' && read >= count)
          beyond.push(`${nameOf(route)} ${query}: ${read} rows (${kind}) ${scans.join('; ')}`);
    }
  }
  t.true(requests > 100);
  t.deepEqual(beyond, []);
});

/** All products are of a category; all orders are to be shipped to one customer, who returns each, and need attention. */
async function makeAlike(ctx: Context): Promise<void> {
  const { id } = ctx.tenant;
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`
      update orders set email = 'shopper@example.com', fulfillment_status = 'unfulfilled',
        attentions = '[{"code": "disputed", "detail": ""}]' where tenant_id = ${id}`);
    await tx.execute(sql`
      update customers set email = 'shopper@example.com'
      where tenant_id = ${id} and id = ${`cus_${String(count).padStart(26, '0')}`}`);
    await tx.execute(sql`update products set category = 'kitchen' where tenant_id = ${id}`);
    await tx.execute(sql`update labels set reason_code = 'not_required' where tenant_id = ${id}`);
    await tx.execute(sql`
      insert into returns (tenant_id, id, number, order_id, order_number, email, status, created_at, updated_at)
      select tenant_id, 'ret_' || right(id, 26), number, id, order_number, email, 'closed', created_at, updated_at
      from orders where tenant_id = ${id}`);
    await tx.execute(sql`
      insert into subscriptions (tenant_id, id, payment_subscription_id, payment_item_id, payment_customer_id, order_id,
        product_id, variant_id, status, interval, quantity, unit_price_cents, currency, email, current_period_end,
        cancel_at_period_end, requested_at, created_at, updated_at)
      select tenant_id, 'sub_' || right(id, 26), id, id, 'cus', id, 'prod_' || lpad('7', 26, '0'),
        'var_' || lpad('7', 26, '0'), 'active', 'month', 1, 3800, 'USD', email, now(), false, now(), now(), now()
      from orders where tenant_id = ${id}`);
  });
}

/** Queries with any two of a route's filters. */
function pairsOf(route: Route): string[] {
  const properties: Record<string, { enum?: readonly string[] }> = route.query?.properties ?? {};
  const filters = Object.entries(properties).map(([name, schema]) =>
    (values[name] ?? []).filter((value) => schema.enum?.includes(value) ?? true).map((value) => `${name}=${value}`),
  );
  return filters.flatMap((some, index) =>
    filters.slice(index + 1).flatMap((others) => some.flatMap((one) => others.map((other) => `${one}&${other}`))),
  );
}
