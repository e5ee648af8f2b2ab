import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import { removeEntry, saveEntry } from '#src/domain/content/index.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import { indexDocument } from '#src/domain/search/index.ts';
import { saveShippingAccount } from '#src/domain/shipping/index.ts';
import { listKeys, revokeKey } from '#src/domain/tenants/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('GET /storefront returns currency, shipping and features', async (t) => {
  const { api, ctx, tenant } = t.context;
  await transact(ctx, async (ctx) => {
    await savePaymentAccount(ctx, {
      provider: 'stripe',
      mode: 'direct',
      secret_key: 'sk_secret',
      publishable_key: 'pk_shown',
      automatic_tax: false,
    });
    await saveShippingAccount(ctx, {
      provider: 'shippo',
      api_key: 'shippo_secret',
      carriers: [],
      countries: ['US', 'CA'],
      origin: {
        name: 'Cedar',
        street1: '215 Clayton St',
        city: 'San Francisco',
        state: 'CA',
        zip: '94117',
        country: 'US',
        phone: '4155550100',
        email: 'ship@cedar.example',
      },
      parcel: { length_in: 10, width_in: 8, height_in: 4, weight_oz: 2 },
      options: [
        { name: 'Standard', amount_cents: 599, free_over_cents: 7500 },
        { name: 'Express', amount_cents: 1499 },
      ],
    });
  });
  const { status, body, headers } = await api.call('GET', '/api/v1/storefront', { tenant: tenant.slug });
  t.is(status, 200);
  t.truthy(headers.get('etag'));
  t.deepEqual(body.storefront, {
    slug: tenant.slug,
    name: tenant.name,
    currency: 'USD',
    locale: 'en-US',
    publishable_key: 'pk_shown',
    features: { customer_accounts: true, subscriptions: true, gift_cards: true, reviews: true },
    shipping: {
      countries: ['US', 'CA'],
      options: [
        { name: 'Standard', amount_cents: 599, free_over_cents: 7500 },
        { name: 'Express', amount_cents: 1499, free_over_cents: null },
      ],
    },
    theme: {},
    links: {},
    version: 1,
  });
  t.notRegex(JSON.stringify(body), /secret|owner@/);
});

test('GET /storefront works for a store without payments and shipping', async (t) => {
  const { api, services } = t.context;
  const modules = { customer_accounts: false, subscriptions: false, gift_cards: false, reviews: true };
  const bare = await buildTenant(services, { modules, theme: { accent: '#7a5c3e' } });
  const { body } = await api.call('GET', '/api/v1/storefront', { tenant: bare.slug });
  t.like(body.storefront, {
    publishable_key: null,
    shipping: { countries: [], options: [] },
    theme: { accent: '#7a5c3e' },
  });
  t.deepEqual(body.storefront.features, modules);
});

test('GET /storefront requires a store', async (t) => {
  const { api } = t.context;
  t.is((await api.call('GET', '/api/v1/storefront')).body.error, 'missing_tenant');
  t.is((await api.call('GET', '/api/v1/storefront', { tenant: 'no-such' })).body.error, 'unknown_tenant');
});

test.serial('GET /storefront executes one statement, and none while the response is cached', async (t) => {
  const { api, clock, services, tenant } = t.context;
  await api.call('GET', '/api/v1/content/none', { tenant: tenant.slug });
  const request = () => api.call('GET', '/api/v1/storefront', { tenant: tenant.slug });
  // The tenant itself is read once a second.
  const count = async () =>
    (await countStatements(services, request)).statements.filter((text) => !/from tenants/.test(text)).length;
  await clock.standStill(async () => {
    t.is(await count(), 1);
    t.is(await count(), 0);
  });
});

test('GET /content/:type/:slug returns a published entry', async (t) => {
  const { api, ctx, tenant } = t.context;
  await buildEntry(ctx, {
    slug: 'care-for-wood',
    tags: ['care', 'wood'],
    author: 'Ada',
    published_at: '2026-01-05T00:00:00Z',
    image: { url: 'https://cdn.example/oil.jpg', alt: 'Oil', width: 800, height: 600 },
  });
  const { status, body, headers } = await api.call('GET', '/api/v1/content/article/care-for-wood', {
    tenant: tenant.slug,
  });
  t.is(status, 200);
  t.truthy(headers.get('etag'));
  const { id, updated_at, ...entry } = body.entry;
  t.regex(id, /^entry_/);
  t.regex(updated_at, /Z$/);
  t.deepEqual(entry, {
    type: 'article',
    slug: 'care-for-wood',
    title: 'How to care for wood',
    summary: 'Oil it.',
    body: { format: 'markdown', value: '# Oil' },
    tags: ['care', 'wood'],
    image: { url: 'https://cdn.example/oil.jpg', alt: 'Oil', width: 800, height: 600 },
    author: 'Ada',
    starts_at: null,
    ends_at: null,
    published_at: '2026-01-05T00:00:00.000Z',
  });
});

test('GET /content/:type/:slug returns 404 for unpublished, removed and foreign entries', async (t) => {
  const { api, ctx, tenant, services, clock } = t.context;
  await buildEntry(ctx, { slug: 'draft', published_at: null });
  await buildEntry(ctx, { slug: 'tomorrow', published_at: fromNow(clock, hours(1)).toISOString() });
  await buildEntry(ctx, { slug: 'cake', type: 'recipe' });
  await buildEntry(ctx, { slug: 'gone' });
  await transact(ctx, (ctx) => removeEntry(ctx, { type: 'article', slug: 'gone' }));
  await buildEntry({ ...ctx, tenant: await buildTenant(services) }, { slug: 'theirs' });
  for (const slug of ['draft', 'tomorrow', 'cake', 'gone', 'theirs', 'no-such', 'No Such']) {
    const { status, body } = await api.call('GET', `/api/v1/content/article/${slug}`, { tenant: tenant.slug });
    t.is(status, 404, slug);
    t.is(body.error, 'not_found');
  }
  const list = await api.call('GET', '/api/v1/content/article', { tenant: tenant.slug });
  t.deepEqual(list.body, { entries: [], cursor: null });
});

test('GET /content/:type filters by tag and pages reliably while entries change', async (t) => {
  const { api, ctx, tenant, clock } = t.context;
  for (const index of [0, 1, 2, 3, 4]) {
    const published_at = fromNow(clock, -hours(index === 3 ? 2 : index + 1)).toISOString();
    await buildEntry(ctx, { slug: `entry-${index}`, tags: index === 4 ? [] : ['care'], published_at });
  }
  const page = async (query: string) =>
    (await api.call('GET', `/api/v1/content/article?${query}`, { tenant: tenant.slug })).body;
  const slugs = (body: any) => body.entries.map(({ slug }: any) => slug);
  const first = await page('tag=care&limit=2');
  t.deepEqual(slugs(first), ['entry-0', 'entry-3']);
  await buildEntry(ctx, { slug: 'latest', tags: ['care'] });
  await transact(ctx, (ctx) => removeEntry(ctx, { type: 'article', slug: 'entry-3' }));
  const second = await page(`tag=care&limit=2&cursor=${first.cursor}`);
  t.deepEqual(slugs(second), ['entry-1', 'entry-2']);
  t.is(second.cursor, null);
  t.deepEqual(slugs(await page('limit=100')), ['latest', 'entry-0', 'entry-1', 'entry-2', 'entry-4']);
  t.deepEqual(await page('tag=none'), { entries: [], cursor: null });
  t.is((await page(`cursor=${first.cursor}A`)).error, 'invalid_cursor');
  const elsewhere = await api.call('GET', `/api/v1/content/recipe?cursor=${first.cursor}`, { tenant: tenant.slug });
  t.is(elsewhere.body.error, 'invalid_cursor');
});

test('GET /content/:type returns an empty list for an unknown type and rejects too large a limit', async (t) => {
  const { api, tenant } = t.context;
  for (const type of ['podcast', 'Article', '%C3%BCber', 'a b', '-', 'x'.repeat(500)]) {
    const { status, body } = await api.call('GET', `/api/v1/content/${type}`, { tenant: tenant.slug });
    t.deepEqual({ status, body }, { status: 200, body: { entries: [], cursor: null } }, type);
  }
  const { status, body } = await api.call('GET', '/api/v1/content/article?limit=101', { tenant: tenant.slug });
  t.is(status, 400);
  t.is(body.error, 'invalid_request');
});

test.serial('GET /content/announcements/active includes the start and excludes the end', async (t) => {
  const { api, ctx, tenant, clock } = t.context;
  const at = (milliseconds: number) => fromNow(clock, milliseconds).toISOString();
  const announce = (slug: string, starts_at: string | null, ends_at: string | null, more = {}) =>
    buildEntry(ctx, { type: 'announcement', slug, starts_at, ends_at, ...more });
  await announce('always', null, null);
  await announce('since', at(-hours(1)), null, { published_at: at(-minutes(2)) });
  await announce('until', null, at(minutes(30)), { published_at: at(-minutes(3)) });
  await announce('soon', at(minutes(10)), null, { published_at: at(-minutes(4)) });
  await announce('over', null, at(-1));
  await announce('draft', null, null, { published_at: null });
  await announce('unpublished', null, at(minutes(29)), { published_at: at(minutes(14)) });
  await buildEntry(ctx, { slug: 'article' });
  const active = async () => {
    const { body, headers } = await api.call('GET', '/api/v1/content/announcements/active', { tenant: tenant.slug });
    t.is(headers.get('cache-control'), 'no-store');
    t.is(body.cursor, null);
    return body.entries.map(({ slug }: any) => slug);
  };
  t.deepEqual(await active(), ['always', 'since', 'until']);
  clock.pass(minutes(15));
  t.deepEqual(await active(), ['unpublished', 'always', 'since', 'until', 'soon']);
  clock.pass(minutes(15));
  t.deepEqual(await active(), ['always', 'since', 'soon']);
});

test.serial(
  'GET /content/announcements/active pages where there are more than a page holds, and ends with a cursor of null',
  async (t) => {
    const { api, ctx, tenant } = t.context;
    for (let index = 0; index < 101; index += 1) await buildEntry(ctx, { type: 'announcement', slug: `a-${index}` });
    const read = async (query: string) =>
      (await api.call('GET', `/api/v1/content/announcements/active${query}`, { tenant: tenant.slug })).body;
    const first = await read('');
    const rest = await read(`?cursor=${first.cursor}`);
    t.deepEqual([first.entries.length, rest.entries.length, rest.cursor], [100, 1, null]);
    t.is(new Set([...first.entries, ...rest.entries].map(({ slug }) => slug)).size, 101);
    t.is((await read('?limit=2')).entries.length, 2);
    t.is((await read('?cursor=x')).error, 'invalid_cursor');
  },
);

test.serial('content routes execute one statement', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  await buildEntry(ctx, { slug: 'care' });
  await api.call('GET', '/api/v1/content/none', { tenant: tenant.slug });
  for (const path of ['article?tag=care', 'article/care', 'announcements/active']) {
    const { statements } = await countStatements(services, () =>
      api.call('GET', `/api/v1/content/${path}`, { tenant: tenant.slug }),
    );
    t.is(statements.filter((text) => !/from tenants/.test(text)).length, 1, path);
  }
});

// A read that is repeated within a second gets the cached reply. Here every request is sent twice.
const products = '/api/v1/products';

test.serial('a repeated read gets the cached reply, byte for byte, and counts against the limit', async (t) => {
  const { api, ctx, tenant, services, clock } = t.context;
  await buildEntry(ctx, { slug: 'care' });
  const request = (headers = {}) => api.call('GET', '/api/v1/content/article/care', { tenant: tenant.slug, headers });
  await clock.standStill(async () => {
    const first = await request();
    const { statements, result: again } = await countStatements(services, () => request());
    t.deepEqual(statements, []);
    t.is(again.status, 200);
    t.deepEqual(again.body, first.body);
    for (const name of ['content-type', 'content-length', 'cache-control', 'vary', 'etag'])
      t.is(again.headers.get(name), first.headers.get(name), name);
    t.not(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
    t.is(Number(again.headers.get('ratelimit-remaining')), Number(first.headers.get('ratelimit-remaining')) - 1);

    const known = await request({ 'if-none-match': String(first.headers.get('etag')) });
    t.is(known.status, 304);
    t.is(known.body, '');
    const head = () =>
      fetch(`${api.url}/api/v1/content/article/care`, { method: 'HEAD', headers: { 'x-tenant-slug': tenant.slug } });
    for (const { status, headers } of [await head(), await head()]) {
      t.is(status, 200);
      t.is(headers.get('content-length'), first.headers.get('content-length'));
    }
  });
});

test.serial('a cached reply is used only for the same store and key', async (t) => {
  const { api, ctx, tenant, services, clock } = t.context;
  const theirs = await buildTenant(services);
  await buildProduct(ctx, { slug: 'ours' });
  await buildProduct({ ...ctx, tenant: theirs }, { slug: 'theirs' });
  const key = await buildKey(ctx, ['products:read']);
  const other = await buildKey(ctx, ['cart:write']);
  await clock.standStill(async () => {
    for (let time = 0; time < 3; time += 1) {
      const slugs = async (options: object) =>
        (await api.call('GET', products, options)).body.products.map(({ slug }: { slug: string }) => slug);
      t.deepEqual(await slugs({ tenant: tenant.slug }), ['ours']);
      t.deepEqual(await slugs({ tenant: theirs.slug }), ['theirs']);
      t.deepEqual(await slugs({ key }), ['ours']);
      const requests = [{}, { key: other }, { key: `${key}x` }, { key, tenant: theirs.slug }].map((options) =>
        api.call('GET', products, options),
      );
      t.deepEqual(
        (await Promise.all(requests)).map(({ status }) => status),
        [400, 403, 401, 400],
      );
    }
    const stored = await api.call('GET', products, { key });
    t.is(stored.headers.get('cache-control'), 'private, max-age=0, must-revalidate');
  });
});

test.serial('a cached reply is checked against the origin of each request', async (t) => {
  const { api, services, clock } = t.context;
  const { slug } = await buildTenant(services, { allowedOrigins: ['https://shop.example'] });
  const request = (headers = {}) => api.call('GET', products, { tenant: slug, headers });
  await clock.standStill(async () => {
    await request();
    const own = await request({ origin: 'https://shop.example' });
    t.is(own.status, 200);
    t.is(own.headers.get('access-control-allow-origin'), 'https://shop.example');
    t.is((await request({ origin: 'https://elsewhere.example' })).body.error, 'origin_not_allowed');
    t.is((await request()).headers.get('access-control-allow-origin'), null);
  });
});

test.serial('a revoked key is rejected within five seconds despite cached replies', async (t) => {
  const { api, ctx, clock } = t.context;
  const key = await buildKey(ctx, ['products:read']);
  const request = async () => (await api.call('GET', products, { key })).status;
  await clock.standStill(async () => {
    t.is(await request(), 200);
    const {
      rows: [row],
    } = await listKeys(ctx, { limit: 1 });
    await transact(ctx, (ctx) => revokeKey(ctx, { id: String(row?.id) }));
    const found: number[] = [];
    for (let second = 0; second < 5; second += 1) {
      clock.pass(seconds(1));
      found.push(await request());
    }
    t.is(found.at(-1), 401);
  });
});

test.serial('a cached reply is counted in the metrics of its route', async (t) => {
  const { api, tenant, services, clock } = t.context;
  const counted = async () => {
    const series = await services.metrics.series();
    return series.get('storefront_request_seconds_count{method="GET",route="/api/v1/storefront",status="200"}') ?? 0;
  };
  const before = await counted();
  await clock.standStill(async () => {
    for (let time = 0; time < 3; time += 1) await api.call('GET', '/api/v1/storefront', { tenant: tenant.slug });
  });
  t.is(await counted(), before + 3);
});

// Serial, because running jobs takes those of all stores in this file's database.

/** A reply may be a second old. */
const request = async ({ api, clock, tenant }: ApiContext, query: string) => {
  clock.pass(seconds(1));
  return (await api.call('GET', `/api/v1/search?${query}`, { tenant: tenant.slug })).body;
};
const slugs = (body: any) => body.results.map(({ slug }: any) => slug);

test.serial('GET /search finds products and articles by words, titles before bodies', async (t) => {
  const { ctx, services } = t.context;
  const bowl = await buildProduct(ctx, {
    slug: 'salad-bowl',
    name: 'Salad bowl',
    description: 'Turned from oak.',
    tags: ['wood'],
  });
  await buildProduct(ctx, { slug: 'oak-board', name: 'Oak board' });
  await buildEntry(ctx, {
    slug: 'care',
    title: 'Care for oak',
    body: { format: 'markdown', value: '# Oil\nOil your **oak** twice a year.' },
  });
  await runJobs(services);

  const found = await request(t.context, 'q=oak');
  t.is(found.mode, 'text');
  t.false(found.degraded);
  t.is(found.cursor, null);
  t.deepEqual(slugs(found).toSorted(), ['care', 'oak-board', 'salad-bowl']);
  t.is(slugs(found).at(-1), 'salad-bowl');
  const [last] = found.results.slice(-1);
  t.like(last, { type: 'product', id: bowl.id, title: 'Salad bowl', snippet: 'Turned from oak.' });
  t.like(last.product, { slug: 'salad-bowl', price_cents: 3800, currency: 'USD', in_stock: true });
  const article = found.results.find(({ slug }: any) => slug === 'care');
  t.like(article, { type: 'content', entry_type: 'article' });
  t.false('product' in article);
  t.notRegex(article.snippet, /[#*<]/);
  t.true(found.results.every(({ score }: any) => score > 0 && score < 1));
});

test.serial('GET /search finds inflected and misspelled words and words without accents', async (t) => {
  const { ctx, services } = t.context;
  await buildProduct(ctx, { slug: 'mug', name: 'Café mug', description: 'For running mornings.' });
  await buildProduct(ctx, {
    slug: 'coffee',
    name: 'Coffee of the month',
    category: 'Pantry',
    tags: ['vegan'],
    variants: [{ sku: 'C-1', name: 'Espresso roast' }],
  });
  await runJobs(services);
  for (const slip of ['cofee', 'pantyr', 'veganm', 'expresso'])
    t.deepEqual(slugs(await request(t.context, `q=${slip}`)), ['coffee'], slip);
  t.deepEqual(slugs(await request(t.context, 'q=cafe')), ['mug']);
  t.deepEqual(slugs(await request(t.context, 'q=runs')), ['mug']);
  t.deepEqual(slugs(await request(t.context, 'q=submarine')), []);
  t.deepEqual(slugs(await request(t.context, 'q=%27%22%3C%26%7C!(')), []);
});

test.serial('GET /search finds titles with the typed text inside of a word', async (t) => {
  const { ctx, services } = t.context;
  await buildProduct(ctx, { slug: 'beans', name: '有機コーヒー豆' });
  await buildProduct(ctx, { slug: 'ground', name: 'กาแฟคั่วบดอาราบิก้า' });
  await runJobs(services);
  t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent('コーヒー')}`)), ['beans']);
  t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent('ｺｰﾋｰ')}`)), ['beans']);
  t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent('คั่วบด')}`)), ['ground']);
  t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent('茶')}`)), []);
  await buildProduct(ctx, { slug: 'cup', name: '青い茶碗' });
  await runJobs(services);
  t.deepEqual(
    slugs(await request(t.context, `q=${encodeURIComponent('茶碗')}`)),
    ['cup'],
    'most words have two characters',
  );
  t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent('茶')}`)), ['cup']);
  t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent('茶碗')}&type=content`)), []);
});

test.serial('GET /search finds titles that contain all that was typed between spaces', async (t) => {
  const { ctx, services } = t.context;
  for (const [slug, name] of Object.entries({ gloves: '革の手袋', bag: '革のかばん', glass: '赤ワイングラス' }))
    await buildProduct(ctx, { slug, name });
  await runJobs(services);
  const found = { '手袋　革': ['gloves'], 'かばん 革': ['bag'], 'グラス 赤': ['glass'], '手袋 赤': [], '革 %': [] };
  for (const [typed, expected] of Object.entries(found))
    t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent(typed)}`)), expected, typed);
});

test.serial('GET /search leaves out a word after a dash, but looks for it where nothing else was typed', async (t) => {
  const { ctx, services } = t.context;
  for (const [slug, name] of Object.entries({ oak: 'Oak bowl', ash: 'Ash bowl', cup: 'Cup' }))
    await buildProduct(ctx, { slug, name });
  await runJobs(services);
  const found = { 'bowl -oak': ['ash'], '-oak': ['oak'], '-"ash bowl"': ['ash'], '-oak - -bowl': ['oak'], '- -': [] };
  for (const [typed, expected] of Object.entries(found))
    t.deepEqual(slugs(await request(t.context, `q=${encodeURIComponent(typed)}`)), expected, typed);
});

test.serial('GET /search returns corrected words only without exact results, all words before any', async (t) => {
  const { ctx, services } = t.context;
  for (const [slug, name] of [
    ['mug', 'Stoneware mug'],
    ['plate', 'Stoneware plate'],
    ['rug', 'Wool rug'],
    ['lamp', 'Paper lamp'],
  ] as const)
    await buildProduct(ctx, { slug, name });
  await runJobs(services);
  t.deepEqual(slugs(await request(t.context, 'q=rug')), ['rug']);
  t.deepEqual(slugs(await request(t.context, 'q=stonware+mgu')), ['mug', 'plate']);
  t.deepEqual(
    slugs(await request(t.context, 'q=stoneware+lamp')).toSorted(),
    ['lamp', 'mug', 'plate'],
    'any of the words, where nothing has all of them',
  );
  t.deepEqual(slugs(await request(t.context, 'q=stonewaremug')), ['mug', 'plate']);
  t.deepEqual(
    slugs(await request(t.context, 'q=lampp+-paper')),
    ['lamp'],
    'what was to be left out is no part of a guess',
  );
  t.deepEqual(slugs(await request(t.context, 'q=the')), [], 'a word that says nothing is not guessed at');
});

test.serial('GET /search returns pages of corrected searches', async (t) => {
  const { ctx, services } = t.context;
  for (const index of [1, 2, 3])
    await buildProduct(ctx, { slug: `mug-${index}`, name: `Stoneware mug ${'tall '.repeat(index)}` });
  await runJobs(services);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const body: any = await request(t.context, `q=stonware&limit=1${cursor && `&cursor=${cursor}`}`);
    t.is(body.results.length, 1);
    seen.push(...slugs(body));
    cursor = body.cursor;
  }
  t.deepEqual(seen.toSorted(), ['mug-1', 'mug-2', 'mug-3']);
});

test.serial('GET /search puts a typed SKU or slug first', async (t) => {
  const { ctx, services } = t.context;
  await buildProduct(ctx, { slug: 'lid', name: 'Lid for bowl-s bowl-s bowl-s' });
  await buildProduct(ctx, { slug: 'small', name: 'Something small', variants: [{ sku: 'BOWL-S' }] });
  await runJobs(services);
  const found = await request(t.context, 'q=bowl-s');
  t.deepEqual(slugs(found), ['small', 'lid']);
  t.is(found.results[0].score, 1);
});

test.serial('GET /search follows saved, published and removed documents when each job runs twice', async (t) => {
  const { ctx, services } = t.context;
  const { slug, id, variant } = await buildProduct(ctx, { name: 'Oak bowl' });
  t.deepEqual(slugs(await request(t.context, 'q=oak')), []);
  t.true((await runJobs(services)).includes('search.index-document: done'));
  await indexDocument(ctx, { kind: 'product', id });
  t.deepEqual(slugs(await request(t.context, 'q=oak')), [slug]);

  const save = (more: object) =>
    transact(ctx, (ctx) =>
      saveProduct(ctx, { slug, name: 'Ash plate', variants: [{ sku: variant.sku, price_cents: 3800 }], ...more }),
    );
  await save({});
  await runJobs(services);
  t.deepEqual(slugs(await request(t.context, 'q=oak')), []);
  t.deepEqual(slugs(await request(t.context, 'q=ash')), [slug]);

  await save({ status: 'draft' });
  t.deepEqual(slugs(await request(t.context, 'q=ash')), [], 'a draft is not shown, though its document is still there');
  await runJobs(services);
  await save({});
  await runJobs(services);
  t.deepEqual(slugs(await request(t.context, 'q=ash')), [slug]);
  await transact(ctx, (ctx) => removeProduct(ctx, slug));
  await runJobs(services);
  await indexDocument(ctx, { kind: 'product', id });
  t.deepEqual(slugs(await request(t.context, 'q=ash')), []);
});

test.serial('GET /search finds content only while it is published and active', async (t) => {
  const { ctx, services, clock } = t.context;
  const at = (milliseconds: number) => fromNow(clock, milliseconds).toISOString();
  await buildEntry(ctx, { slug: 'draft', title: 'Oak draft', published_at: null });
  await buildEntry(ctx, { slug: 'soon', title: 'Oak soon', published_at: at(minutes(30)) });
  await buildEntry(ctx, {
    type: 'announcement',
    slug: 'sale',
    title: 'Oak sale',
    starts_at: at(-hours(1)),
    ends_at: at(minutes(20)),
  });
  await buildEntry(ctx, { slug: 'gone', title: 'Oak gone' });
  await runJobs(services);
  t.deepEqual(slugs(await request(t.context, 'q=oak')).toSorted(), ['gone', 'sale']);
  await transact(ctx, (ctx) => removeEntry(ctx, { type: 'article', slug: 'gone' }));
  await runJobs(services);
  clock.pass(minutes(30));
  t.deepEqual(slugs(await request(t.context, 'q=oak')), ['soon']);
});

test.serial('GET /search shows no entry that was just unpublished, though its document is still there', async (t) => {
  const { ctx, services, clock } = t.context;
  const at = (milliseconds: number) => fromNow(clock, milliseconds).toISOString();
  await buildEntry(ctx, { slug: 'published', title: 'Oak published' });
  const drafted = await buildEntry(ctx, { slug: 'drafted', title: 'Oak drafted' });
  const postponed = await buildEntry(ctx, { slug: 'postponed', title: 'Oak postponed' });
  const ended = await buildEntry(ctx, { type: 'announcement', slug: 'ended', title: 'Oak ended' });
  const removed = await buildEntry(ctx, { slug: 'removed', title: 'Oak removed' });
  await runJobs(services);
  t.is((await request(t.context, 'q=oak')).results.length, 5);
  await transact(ctx, async (ctx) => {
    await saveEntry(ctx, { ...drafted, published_at: null });
    await saveEntry(ctx, { ...postponed, published_at: at(hours(1)) });
    await saveEntry(ctx, { ...ended, ends_at: at(-1) });
    await removeEntry(ctx, removed);
  });
  t.deepEqual(slugs(await request(t.context, 'q=oak')), ['published']);
});

test.serial(
  'GET /search finds what begins later, such as a course: only announcements are hidden until then',
  async (t) => {
    const { ctx, services, clock } = t.context;
    const at = (milliseconds: number) => fromNow(clock, milliseconds).toISOString();
    const times = { starts_at: at(hours(1)), ends_at: at(hours(2)) };
    await buildEntry(ctx, { type: 'event', slug: 'course', title: 'Oak carving course', ...times });
    await buildEntry(ctx, { type: 'announcement', slug: 'sale', title: 'Oak sale', ...times });
    await runJobs(services);
    t.deepEqual(slugs(await request(t.context, 'q=oak')), ['course']);
    clock.pass(minutes(90));
    t.deepEqual(slugs(await request(t.context, 'q=oak')).toSorted(), ['course', 'sale']);
    clock.pass(minutes(60));
    t.deepEqual(slugs(await request(t.context, 'q=oak')), ['course']);
  },
);

test.serial('GET /search reads an HTML body as its readers do', async (t) => {
  const { ctx, services } = t.context;
  const value =
    '<style>.zebra{color:red}</style><p>Le caf&eacute; B&amp;B</p><script>alert("giraffe")</script><p>ouvert <b>tard';
  await buildEntry(ctx, { slug: 'bar', title: 'Bar', summary: null, body: { format: 'html', value } });
  await runJobs(services);
  const { results } = await request(t.context, `q=${encodeURIComponent('café')}`);
  t.deepEqual(
    results.map(({ snippet }: any) => snippet),
    ['Le café B&B\nouvert tard'],
  );
  for (const word of ['zebra', 'giraffe', 'eacute', 'color'])
    t.deepEqual(slugs(await request(t.context, `q=${word}`)), []);
});

test.serial('GET /search and GET /products find letters in each spelling that is no matter of accents', async (t) => {
  const { ctx, services } = t.context;
  const names = {
    isik: 'Işıklı ayna',
    oeufs: 'Coquetier pour œufs',
    oere: 'Ørestad',
    lodz: 'Łódź',
    strasse: 'Straßenkarte',
    apple: 'りんごジャム',
    glass: 'ｶﾞﾗｽの皿',
    bag: 'حقيبة مدرسية',
    hospital: 'مستشفى لعبة',
    cup: 'كوب ٧٥٠',
  };
  for (const [slug, name] of Object.entries(names)) await buildProduct(ctx, { slug: `p-${slug}`, name });
  await runJobs(services);
  const found = {
    ışıklı: 'isik',
    isikli: 'isik',
    oeufs: 'oeufs',
    orestad: 'oere',
    lodz: 'lodz',
    strassenkarte: 'strasse',
    リンゴ: 'apple',
    がらす: 'glass',
    حقيبه: 'bag',
    حقيـــبة: 'bag',
    مستشفي: 'hospital',
    'كوب 750': 'cup',
  };
  for (const [typed, slug] of Object.entries(found)) {
    const q = encodeURIComponent(typed);
    t.deepEqual(slugs(await request(t.context, `q=${q}`)), [`p-${slug}`], typed);
    const { body } = await t.context.api.call('GET', `/api/v1/products?q=${q}`, { tenant: t.context.tenant.slug });
    t.deepEqual(
      body.products.map(({ slug }: any) => slug),
      [`p-${slug}`],
      typed,
    );
  }
});

test.serial('GET /search finds a text however its accents are encoded', async (t) => {
  const { ctx, services } = t.context;
  const text = 'Rührlöffel und Töpfe';
  for (const form of ['NFC', 'NFD'])
    await buildProduct(ctx, { slug: form.toLowerCase(), name: 'Holz', description: text.normalize(form) });
  await runJobs(services);
  for (const form of ['NFC', 'NFD'])
    t.deepEqual(
      slugs(await request(t.context, `q=${encodeURIComponent('rührlöffel'.normalize(form))}`)).toSorted(),
      ['nfc', 'nfd'],
      form,
    );
});

test.serial('GET /search returns pages of one kind or all, of the own store', async (t) => {
  const { ctx, services, api } = t.context;
  for (const index of [1, 2, 3])
    await buildProduct(ctx, { slug: `oak-${index}`, name: `Oak bowl ${'big '.repeat(index)}` });
  await buildEntry(ctx, { slug: 'oak-care', title: 'Oak care' });
  await runJobs(services);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const body: any = await request(t.context, `q=oak&type=product&limit=1${cursor && `&cursor=${cursor}`}`);
    seen.push(...slugs(body));
    cursor = body.cursor;
  }
  t.deepEqual(seen.toSorted(), ['oak-1', 'oak-2', 'oak-3']);
  t.deepEqual(slugs(await request(t.context, 'q=oak&type=content')), ['oak-care']);
  const first = await request(t.context, 'q=oak&limit=1');
  t.is((await request(t.context, `q=bowl&limit=1&cursor=${first.cursor}`)).error, 'invalid_cursor');
  const other = await buildTenant(services);
  t.deepEqual((await api.call('GET', '/api/v1/search?q=oak', { tenant: other.slug })).body.results, []);
});

test.serial('GET /search rejects invalid parameters', async (t) => {
  const { api, ctx, tenant } = t.context;
  for (const query of ['', 'q=', 'q=+', `q=${'a'.repeat(201)}`, 'q=a&type=orders', 'q=a&limit=101']) {
    const { status, body } = await api.call('GET', `/api/v1/search?${query}`, { tenant: tenant.slug });
    t.is(status, 400, query);
    t.is(body.error, 'invalid_request');
  }
  const refused = await api.call('GET', '/api/v1/search?q=a', { key: await buildKey(ctx, ['products:read']) });
  t.is(refused.status, 403);
  t.is(refused.body.required_scope, 'search:read');
});

test.serial(
  'GET /search executes one statement for the words and one for the documents, each with its tenant',
  async (t) => {
    const { ctx, services } = t.context;
    await buildProduct(ctx, { name: 'Oak bowl' });
    await runJobs(services);
    await request(t.context, 'q=ash');
    const sentFor = async (query: string) =>
      (await countStatements(services, () => request(t.context, query))).statements.filter(
        (text) => !/from tenants/.test(text),
      );
    const reads = await sentFor('q=oak');
    t.is(reads.length, 2);
    t.regex(reads[0] ?? '', /from search_words where tenant_id = \$/);
    t.regex(reads[1] ?? '', /from search_documents d\s+where d.tenant_id = \$/);
    t.is((await sentFor('q=aok')).length, 2, 'a guess costs no other');
  },
);
