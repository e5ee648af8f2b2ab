import { randomUUID } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import type { Pool } from 'pg';
import { schedules } from '#jobs/schedules.ts';
import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { transact } from '#src/database/transact.ts';
import { aggregateBatches } from '#src/domain/analytics/index.ts';
import { submitReview } from '#src/domain/catalog/index.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { nameOf, type StoreContext, send } from '#test/support/every-route.ts';
import { type Explained, explainStatements } from '#test/support/explain-statements.ts';
import { buildEvent, sendEvents } from '#test/support/factories/analytics.ts';
import { unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { sessionOf } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildStockedStore } from '#test/support/factories/store.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { multiplyStore } from '#test/support/multiply-store.ts';
import type { Receiver } from '#test/support/receiver.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';
import { processors } from '#workers/processors.ts';

/*
 * Every statement of a request or a job costs about what it returns. A store does one of everything; its rows are
 * multiplied in it and in other stores; then it does one of everything again, each statement is explained, and
 * none may have read the tables. Left out are exports and erasures of a person's data: they are rare, and indexes of
 * emails in every table would cost each order more than a read of the store's rows costs them.
 */

const test = anyTest as TestFn<StripeContext & StoreContext>;
await useStripe(
  test as unknown as TestFn<StripeContext>,
  {},
  { mailer: fakeMailer(), shipping: fakeShippingGateway() },
  // Explaining sends statements, too.
  { isRecorded: false },
);

const personalData = ['POST /api/v1/admin/erasures', 'POST /api/v1/admin/personal-data-exports'];

const ownCopies = 300;

/**
 * How many other stores there are, with how many copies each, and whether statistics know the copies of the store itself.
 * Those that do not come first: they would know what an earlier test has left.
 */
const circumstances = [
  { circumstance: 'of a store that has grown since tables were analyzed', stores: 1, each: 200, isKnown: false },
  { circumstance: 'beside many stores', stores: 20, each: 10, isKnown: true },
] as const;

/** Of a statement: the rows that it may read beside those that each row it returns costs. */
const readsMax = 600;
const readsPerRowMax = 30;

/** Statements that read more, by what they contain, and why they may. */
const exceptions: readonly (readonly [RegExp, string])[] = [
  [/row_number\(\) over/, 'a page by words is looked for among 500 products, whose variants are read as well'],
  [/websearch_to_tsquery/, 'a search ranks at most 1,000 documents of each kind and tier'],
  [/\bmatching as materialized/, 'a word is looked for in the newest 1,000 products, and then in up to 10,000'],
  [/sort_name >= /, 'what an owner types into a search field is one of 1,200 products'],
  [
    / as typed\(tenant_id, word, first, beyond\)/,
    'words of a name are those of 5,000 customers, and up to 1,000 of their orders are found',
  ],
  [/select from product_tags t where t\.tenant_id = \$/, 'of a tag and another filter, the rarer one is read'],
  [/as orders_to_ship/, 'the overview counts up to a thousand of each kind'],
  [/percentile_cont/, 'operators see the lag of the last ten minutes'],
  [/from (sign_in|staff)_links/, 'sign-in links of the last hour are counted, which are limited'],
  [/from one_time_passwords/, 'one-time passwords of the last minutes are counted'],
];

/** PostgreSQL 15 and 16 count each value of a list as a whole lookup, and so read a store of this size as a whole. */
const exceptionsBefore17: typeof exceptions = [
  [/\bsaved_products as/, 'with ten times as many tags, they read those of the saved products only'],
  [/\bdue as materialized \(\s*select id, next_attempt_at\s+from webhook_deliveries/, 'and the due deliveries only'],
];

/** While PostgreSQL expects few rows, it sorts them rather than read some in the order of an index. */
const exceptionsUnknown: typeof exceptions = [
  [/ as position\b.+ order by .+ limit \$/s, 'a page of a list sorts the rows of a store, until tables are analyzed'],
];

for (const { circumstance, stores, each, isKnown } of circumstances) {
  test.serial(
    `no statement of a request or a job reads more than a constant times what it returns, ${circumstance}`,
    async (t) => {
      const { services, tenant } = t.context;
      const { pool } = services.context().database;
      const receiver = await receiverFor(t);
      // Beyond the numbers that factories give.
      await transact(t.context.ctx, ({ tx }) =>
        tx.execute(sql`insert into order_numbers (tenant_id, next_number) values (${tenant.id}, 100000)`),
      );
      await buildStockedStore(t.context.ctx);
      await doEverything(t.context, receiver);
      const others = new Map<string, number>();
      for (let number = 0; number < stores; number += 1) {
        const { id } = await buildTenant(services);
        others.set(id, each);
      }
      const multiply = (own: number, others: ReadonlyMap<string, number>) =>
        multiplyStore(services.config.databaseUrl, tenant.id, { own, others }, { shared, single });
      await multiply(0, others);
      await pool.query('analyze');
      await multiply(ownCopies, new Map());
      // A store may have 50 endpoints, which all have a part in each event.
      await transact(t.context.ctx, ({ tx }) =>
        tx.execute(sql`
    delete from webhook_endpoints where tenant_id = ${tenant.id} and id in (
      select id from webhook_endpoints e where e.tenant_id = ${tenant.id} and not exists (
        select from webhook_deliveries d where d.tenant_id = e.tenant_id and d.endpoint_id = e.id)
      order by id offset 40)`),
      );
      await pool.query('vacuum webhook_endpoints');
      // What is left to do was multiplied, too.
      await services.execute(sql`
    update outbox set next_relay_at = null, finished_at = now()
    where next_relay_at is not null and next_relay_at <= now()`);

      if (isKnown) await pool.query('analyze');
      const costly = new Map<string, Explained>();
      const explained = await explainStatements(
        services,
        async () => {
          await readEverything(t.context);
          await runSchedules(t.context);
          await doEverything(t.context, receiver);
          await removeEverything(t.context);
        },
        { isLarge: true, timesMax: 12 },
      );
      for (const one of explained) {
        const isCostly = one.read > readsMax + readsPerRowMax * one.returned;
        if (isCostly && (costly.get(one.text)?.read ?? 0) < one.read) costly.set(one.text, one);
      }
      t.log(`${explained.length} plans`);
      t.true(explained.length > 1000);
      const {
        rows: [server],
      } = await pool.query(`select current_setting('server_version_num')::int < 170000 as "isOlder"`);
      const allowed = [
        ...exceptions,
        ...(server.isOlder ? exceptionsBefore17 : []),
        ...(isKnown ? [] : exceptionsUnknown),
      ];
      const unexpected = [...costly.values()].filter(({ text }) => !allowed.some(([pattern]) => pattern.test(text)));
      t.deepEqual(
        unexpected.map(({ text, read, returned, kind, scans }) => [
          `${read} rows read for ${returned} (${kind})`,
          summaryOf(text),
          ...scans.filter((scan) => Number(scan.split(': ').at(-1)) > 100),
        ]),
        [],
      );
      await removeRows(pool);
    },
  );
}

/** Empty the tables of stores, as the next test expects them. */
async function removeRows(pool: Pool): Promise<void> {
  const { rows } = await pool.query(`
    select string_agg(attrelid::regclass::text, ', ') as tables from pg_attribute join pg_class c on c.oid = attrelid
    where attname = 'tenant_id' and relkind in ('r', 'p') and not relispartition`);
  await pool.query(`truncate ${rows[0].tables}`);
}

/** A statement without the frame that sets its tenant, as far as a line of a report reaches. */
function summaryOf(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/^.*?select inside\.\* from \( /, '')
    .slice(0, 300);
}

/** One row of these has the copies of others. */
const shared = new Set([
  'audit_log.subject_id',
  'reviews.product_id',
  'webhook_deliveries.endpoint_id',
  'entry_tags.tag',
  'product_tags.tag',
  'products.category',
]);

/** A store has one row of these, or few. */
const single = new Set([
  'api_keys',
  'order_numbers',
  'payment_accounts',
  'payment_webhook_secrets',
  'reminder_settings',
  'return_counters',
  'search_versions',
  'second_shipping_accounts',
  'shipping_accounts',
]);

type Store = StripeContext & StoreContext;

async function doEverything(store: Store, receiver: Receiver): Promise<void> {
  const { ctx, services, api, stripe } = store;
  // The one that is revoked with everything else: the first.
  await buildKey(ctx, scopes);
  const key = await buildKey(ctx, scopes);
  store.key = key;
  await buildShippingAccount(ctx);
  await buildEndpoint(ctx, receiver);
  const product = await buildProduct(ctx, {
    name: 'Oak bowl',
    category: 'kitchen',
    tags: ['wood'],
    description: 'Turned by hand of oak.',
  });
  const session = await buildSession(ctx, { email: `${randomUUID()}@example.com` });
  store.session = session.token;
  await submitReview(ctx, product.slug, { rating: 5, title: 'Good', body: 'Very', author_name: 'Ada' });
  await buildSubscription(ctx);
  await buildPartner(ctx);
  const { code } = await buildPromo(ctx);
  const card = await buildGiftCard(ctx);
  await sendEvents(ctx, [buildEvent(), buildEvent()]);
  for (const promo of [code, undefined]) {
    const opened = await api.call('POST', '/api/v1/checkout/sessions', {
      key,
      body: {
        items: [{ product_slug: product.slug, variant_id: product.variant.id, quantity: 1 }],
        customer_email: shopper.email,
        ...(promo ? { promo_code: promo } : { gift_card_code: card.code }),
      },
    });
    if (opened.status !== 200) throw new Error(JSON.stringify(opened.body));
    const { sessionId } = await sessionOf(ctx, opened.body.order_id);
    if (promo) await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
  }
  await stripe.idle();
  await runJobs(services);
  await buildReturn(ctx);
  const wanted = await valuesOf(store);
  for (const route of routes) {
    if (personalData.includes(nameOf(route))) continue;
    if (route.method !== 'get' && route.method !== 'delete' && route.audience.kind !== 'inbound')
      await send(store, route, { params: wanted(route) });
  }
  await aggregateBatches(services.context());
  await runJobs(services);
}

/** What the carrier and the reader of an email send, and every DELETE request. */
async function removeEverything(store: Store): Promise<void> {
  const { ctx, services, api, tenant } = store;
  const { webhook_token: token } = await buildShippingAccount(ctx);
  const tracking = { tracking_number: '92055', carrier: 'usps', tracking_status: { status: 'TRANSIT' } };
  const statuses = [];
  for (const event of ['track_updated', 'transaction_updated'])
    statuses.push(
      await api.call('POST', `/api/webhooks/shippo/${tenant.slug}?token=${token}`, {
        body: { event, test: true, data: event === 'track_updated' ? tracking : { object_id: 'transaction_1' } },
      }),
    );
  const unsubscribe = `/api/v1/cart/unsubscribe?token=${await unsubscribeTokenOf(ctx, shopper.email)}`;
  statuses.push(await api.call('GET', unsubscribe), await api.call('POST', unsubscribe));
  const failed = statuses.filter(({ status }) => status >= 400);
  if (failed.length > 0) throw new Error(JSON.stringify(failed.map(({ body }) => body)));
  await runJobs(services);

  const wanted = await valuesOf(store);
  for (const route of routes.filter(({ method }) => method === 'delete')) {
    const { status, body } = await send(store, route, { params: wanted(route) });
    if (status >= 500) throw new Error(`${nameOf(route)}: ${status} ${body?.error}`);
  }
  await runJobs(services);
}

const tables: Readonly<Record<string, string>> = {
  cart: 'carts',
  checkout: 'orders',
  customers: 'customers',
  'gift-cards': 'gift_cards',
  integrations: 'integration_connections',
  keys: 'api_keys',
  labels: 'labels',
  orders: 'orders',
  returns: 'returns',
  reviews: 'reviews',
  subscriptions: 'subscriptions',
  'webhook-deliveries': 'webhook_deliveries',
  'webhook-endpoints': 'webhook_endpoints',
};

/** The first row of each kind, by the parameters of a route. */
async function valuesOf({ ctx }: Store): Promise<(route: Route) => Record<string, string>> {
  const first = async (table: string, column: string) => {
    const [row] = await transact(ctx, (ctx) =>
      ctx.tx.execute<{ value: string | null }>(
        sql`select min(${rawSql(column)}) as value from ${rawSql(table)} where tenant_id = ${ctx.tenant.id}`,
      ),
    );
    return row?.value ?? 'none';
  };
  const ids: Record<string, string> = {};
  for (const [segment, table] of Object.entries(tables)) ids[segment] = await first(table, 'id');
  const [product, entry, promo, partner, line] = [
    await first('products', 'slug'),
    await first('entries', 'slug'),
    await first('promo_codes', 'code'),
    await first('partners', 'code'),
    await first('cart_lines', 'id'),
  ];
  return ({ path, params }) => {
    const [, segment = ''] = /\/([a-z-]+)\/:\w+/.exec(path) ?? [];
    const given = {
      id: ids[segment] ?? 'none',
      orderId: ids['orders'] ?? 'none',
      itemId: line,
      slug: path.includes('content') ? entry : product,
      code: path.includes('partners') ? partner : promo,
      type: 'article',
    };
    const names = Object.keys((params as { properties?: object } | undefined)?.properties ?? {});
    return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
  };
}

const wantedQueries: Readonly<Record<string, readonly string[]>> = {
  email: [shopper.email, 'nobody@example.com'],
  q: ['oak', 'aok', 'zeppelin', 'turned by hand', 'BOWL-S', 'oak zeppelin', shopper.name],
  category: ['kitchen', 'none'],
  tag: ['wood', 'none'],
  needs_attention: ['true', 'false'],
  without_label: ['true', 'false'],
  email_unsent: ['true', 'false'],
  reason_code: ['no_rates'],
  source: ['newsletter'],
  type: ['webhook.test', 'order.paid', 'return.updated'],
  since: ['2020-01-01T00:00:00Z'],
  updated_since: ['2020-01-01T00:00:00Z'],
  subject_kind: ['order'],
  to: ['2020-01-01T00:00:00Z'],
  product_id: [newId('prod')],
  variant_id: [newId('var')],
};

/** Every GET request with each of its filters, and the second page. */
async function readEverything(store: Store): Promise<void> {
  const values = await valuesOf(store);
  for (const route of routes.filter(({ method }) => method === 'get')) {
    const query = (route.query as { properties?: Record<string, { enum?: string[] }> } | undefined)?.properties ?? {};
    const filters = Object.entries(query).flatMap(([name, schema]) =>
      (wantedQueries[name] ?? schema.enum ?? []).map((value) => `${name}=${encodeURIComponent(value)}`),
    );
    const both = 'tag' in query && 'category' in query ? ['tag=wood&category=kitchen', 'tag=wood&sort=price_asc'] : [];
    const needed = 'q' in query && !('tag' in query) ? [] : [''];
    for (const filter of [...needed, ...filters, ...both]) {
      const request = (more = '') => send(store, route, { params: values(route), query: `?${filter}${more}` });
      const { status, body } = await request();
      const isDenied = route.audience.kind === 'bearer' && [401, 403, 429].includes(status);
      if (isDenied || status >= 500) throw new Error(`${nameOf(route)} ${filter}: ${status} ${body?.detail}`);
      if (body?.cursor) await request(`&cursor=${body.cursor}`);
    }
  }
  for (const page of ['', '/drift', '/labels', '/webhooks', '/analytics']) await store.api.call('GET', `/ops${page}`);
}

/** The recurring jobs, which mostly find nothing to do. */
async function runSchedules({ services }: Store): Promise<void> {
  for (const schedule of schedules) {
    const processor = processors.find(({ job }) => job.name === schedule.name);
    const period = Math.floor(services.clock.now().getTime() / days(1));
    await processor?.work(services.context(), { period } as never).catch(() => undefined);
  }
}
