import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import { removeEntry } from '#src/domain/content/index.ts';
import { indexDocument } from '#src/domain/search/index.ts';
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
