import anyTest, { type TestFn } from 'ava';

import { embedDocument as embedDocumentJob } from '#jobs/search.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { findNeighbours } from '#src/domain/search/find-similar.ts';
import {
  embedDocument,
  indexDocument,
  listZeroResultSearches,
  pruneZeroResultSearches,
  searchDocuments,
  sweepEmbeddings,
} from '#src/domain/search/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildHomeware, homewareDocuments, knownResults } from '#test/support/factories/search.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { measureSearch } from '#test/support/search-quality.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { type EmbeddingsContext, useEmbeddings } from '#test/support/use-embeddings.ts';

const test = anyTest as TestFn<EmbeddingsContext>;
await useEmbeddings(test);

// Serial, because running jobs takes those of all stores in this file's database.

/** Search until the vectors are loaded: the first search of a process may still use text alone. */
const settle = ({ ctx, clock }: EmbeddingsContext, q: string) =>
  until(async () => {
    clock.pass(seconds(2));
    const page = await searchDocuments(ctx, { q });
    return page.mode === 'semantic' ? page : undefined;
  });

/** The results when the embedder responds in time. */
const certainly = ({ ctx }: EmbeddingsContext, q: string) =>
  until(async () => {
    const page = await searchDocuments(ctx, { q });
    return page.degraded ? undefined : page;
  });

const slugs = ({ rows }: { rows: readonly { slug: string }[] }) => rows.map(({ slug }) => slug);
const byText = (ctx: Context): Context => ({ ...ctx, ports: { ...ctx.ports, embedder: undefined } });

test.serial('searchDocuments finds documents by meaning, and by text no worse than without an embedder', async (t) => {
  const { ctx, services } = t.context;
  await buildHomeware(ctx);
  await runJobs(services);
  await settle(t.context, 'warm up');

  const qualities = (kind: keyof typeof knownResults) =>
    Promise.all([
      measureSearch(knownResults[kind], async (q) => slugs(await searchDocuments(byText(ctx), { q }))),
      measureSearch(knownResults[kind], async (q) => slugs(await certainly(t.context, q))),
    ]);
  for (const kind of ['words', 'names', 'misspelled', 'begun'] as const) {
    const [text, semantic] = await qualities(kind);
    t.is(text.first, 1, `${kind} by text: ${text.faults.join('; ')}`);
    t.is(semantic.first, 1, `${kind} by meaning: ${semantic.faults.join('; ')}`);
  }
  const [text, semantic] = await qualities('synonyms');
  t.is(semantic.first, 1, semantic.faults.join('; '));
  t.true(text.first < 0.2, 'words that stand nowhere are not found by text');
});

test.serial('searchDocuments returns its mode on each page', async (t) => {
  const { ctx, services, api, tenant } = t.context;
  for (const index of [1, 2, 3])
    await buildProduct(ctx, { slug: `cup-${index}`, name: `Cup ${['one', 'two', 'three'][index - 1]}` });
  await buildProduct(ctx, { slug: 'hidden', name: 'Cup hidden', status: 'draft' });
  await runJobs(services);
  await settle(t.context, 'mug');
  const search = async (query: string) =>
    (await api.call('GET', `/api/v1/search?${query}`, { tenant: tenant.slug })).body;
  /** A busy machine may take longer than a search waits for meanings. */
  const searchByMeaning = (query: string) =>
    until(async () => {
      const body = await search(query);
      return body.mode === 'semantic' && body;
    });
  // Found by meaning alone, so each score is half of its rank's: 61 / (60 + rank), at most 0.99.
  t.deepEqual(
    (await searchByMeaning('q=mug')).results.map(({ score }: any) => score),
    [0.495, 0.487016, 0.479286],
  );
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const body = await searchByMeaning(`q=mug&limit=1${cursor && `&cursor=${cursor}`}`);
    t.false(body.degraded);
    t.true(body.results.every(({ score }: any) => score > 0 && score < 1));
    seen.push(...slugs({ rows: body.results }));
    cursor = body.cursor;
  }
  t.deepEqual(seen.toSorted(), ['cup-1', 'cup-2', 'cup-3']);
  t.deepEqual((await search('q=mug&type=content')).results, []);
  const other = await buildTenant(services);
  t.deepEqual((await api.call('GET', '/api/v1/search?q=mug', { tenant: other.slug })).body.results, []);
});

test.serial('searchDocuments falls back to text while the embedder is slow, failing or limited', async (t) => {
  const { ctx, services, embeddings, clock } = t.context;
  await buildProduct(ctx, { slug: 'mug', name: 'Stoneware mug' });
  await runJobs(services);
  await settle(t.context, 'cup');
  const degraded = async (q: string) => {
    const page = await searchDocuments(ctx, { q });
    return page.mode === 'text' && page.degraded ? slugs(page) : page.mode;
  };
  await embeddings.fault({ kind: 'status', status: 500 });
  t.deepEqual(await degraded('stoneware beaker'), ['mug']);
  await embeddings.fault({ kind: 'reset' });
  t.deepEqual(await degraded('stoneware'), ['mug']);
  await embeddings.fault({ kind: 'delay', ms: 2500 });
  const { succeeded } = await embeddings.counts();
  t.deepEqual(await degraded('mug stoneware'), ['mug']);
  t.is((await embeddings.counts()).succeeded, succeeded, 'no search waits for an embedder');
  // The late vector is cached for the next search.
  t.is((await settle(t.context, 'mug stoneware')).mode, 'semantic');

  clock.pass(minutes(1));
  const before = (await embeddings.counts()).requests;
  await clock.standStill(async () => {
    for (let query = 0; query < 130; query += 1) await searchDocuments(ctx, { q: `mug ${query}` });
  });
  t.is((await embeddings.counts()).requests - before, 120, "a flood costs no more than a minute's allowance");
});

test.serial('what a flood of new searches caches lasts for minutes, after the first ones of a day', async (t) => {
  const { ctx, clock } = t.context;
  const lives: number[] = [];
  const cache: Context['ports']['cache'] = {
    async getOrLoad(_key, ttlMs, load) {
      const text = await load();
      lives.push(ttlMs);
      return { text, isCached: false };
    },
  };
  const watched = { ...ctx, ports: { ...ctx.ports, cache } };
  const flood = async () => {
    for (let query = 0; query < 600; query += 1) {
      if (query % 100 === 0) clock.pass(minutes(1));
      await findNeighbours(watched, `bowl ${query}`, ['product']);
    }
    return lives.splice(0);
  };
  const expected = [...Array(500).fill(days(1)), ...Array(100).fill(minutes(5))];
  t.deepEqual(await flood(), expected);
  clock.pass(days(1));
  t.deepEqual(await flood(), expected);
});

test.serial(
  'searchDocuments finds a slug or SKU without the embedder, but not a word that only looks like one',
  async (t) => {
    const { ctx, services, embeddings } = t.context;
    await buildProduct(ctx, { slug: 'oak-bowl', name: 'Oak bowl', variants: [{ sku: 'BWL-101' }, { sku: '4711' }] });
    await runJobs(services);
    await settle(t.context, 'dish');
    const requested = async (q: string) => {
      const before = (await embeddings.counts()).requests;
      const page = await searchDocuments(ctx, { q });
      return [page.mode, page.degraded, slugs(page), (await embeddings.counts()).requests - before];
    };
    t.deepEqual(await requested('oak-bowl'), ['text', false, ['oak-bowl'], 0]);
    t.deepEqual(await requested('bwl-101'), ['text', false, ['oak-bowl'], 0]);
    t.deepEqual(await requested('4711'), ['text', false, ['oak-bowl'], 0]);
    t.is((await requested('bwl-999')).at(-1), 0);
    t.is((await requested('t-shirt')).at(-1), 1);
    t.is((await requested('2000')).at(-1), 1);
  },
);

test.serial('searchDocuments puts a document whose slug was typed first, also when it ranks by meaning', async (t) => {
  const { ctx, services } = t.context;
  await buildProduct(ctx, { slug: 'mug', name: 'Teapot' });
  for (const index of [1, 2]) await buildProduct(ctx, { slug: `cup-${index}`, name: `Cup ${'tall '.repeat(index)}` });
  await runJobs(services);
  const { rows } = await settle(t.context, 'mug');
  t.like(rows[0], { slug: 'mug', score: 1 });
  t.is(rows.length, 3);
});

test.serial(
  'searchDocuments continues a semantic search by text if it must, and a text search always by text',
  async (t) => {
    const { ctx, services } = t.context;
    for (const index of [1, 2, 3])
      await buildProduct(ctx, { slug: `mug-${index}`, name: `Mug ${'tall '.repeat(index)}` });
    await runJobs(services);
    const {
      rows: [first],
      cursor,
    } = await settle(t.context, 'mug').then(() => searchDocuments(ctx, { q: 'mug', limit: 1 }));
    t.truthy(first);
    const recomputed = await searchDocuments(byText(ctx), { q: 'mug', limit: 1 });
    const onward = await searchDocuments(ctx, { q: 'mug', limit: 2, cursor: recomputed.cursor ?? '' });
    t.is(onward.mode, 'text');
    t.true(onward.degraded);
    t.is(new Set([...slugs(recomputed), ...slugs(onward)]).size, 3);
    const silent = {
      ...ctx,
      ports: { ...ctx.ports, embedder: { model: 'none', embed: () => new Promise<never>(() => undefined) } },
    };
    const without = await searchDocuments(silent, { q: 'mug', limit: 1, cursor: cursor ?? '' });
    t.is(without.mode, 'text');
    t.is(without.rows.length, 1);
    for (const asker of [ctx, silent, byText(ctx)])
      await t.throwsAsync(searchDocuments(asker, { q: 'cup', cursor: cursor ?? '' }), { code: 'invalid_cursor' });
  },
);

test.serial('searchDocuments leaves out what was excluded, also where its meaning is similar', async (t) => {
  const { ctx, services } = t.context;
  await buildProduct(ctx, { slug: 'p-ash', name: 'Ash mug' });
  await buildProduct(ctx, { slug: 'p-oak', name: 'Oak mug' });
  await runJobs(services);
  await settle(t.context, 'mug');
  const found = async (q: string) => slugs(await certainly(t.context, q)).toSorted();
  t.deepEqual(await found('mug'), ['p-ash', 'p-oak']);
  t.deepEqual(await found('mug -oak'), ['p-ash']);
  t.deepEqual(await found('mug -"oak mug"'), ['p-ash']);
  t.deepEqual(await found('mug -the'), ['p-ash', 'p-oak'], 'a word that says nothing excludes nothing');
  t.deepEqual(await found('"mug -oak"'), ['p-ash', 'p-oak'], 'a dash in a phrase excludes nothing');
});

test.serial('embedDocument embeds changed documents only, many in one call', async (t) => {
  const { ctx, services, embeddings } = t.context;
  await buildHomeware(ctx);
  await runJobs(services);
  const counts = await embeddings.counts();
  t.is(counts.inputs, homewareDocuments);
  t.is(counts.requests, 1);

  const save = (name: string) =>
    transact(ctx, (ctx) =>
      saveProduct(ctx, { slug: 'oak-bowl', name, variants: [{ sku: 'BWL-OAK', price_cents: 3800 }] }),
    );
  await save('Ash bowl');
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, homewareDocuments + 1);
  await transact(ctx, (ctx) =>
    saveProduct(ctx, { slug: 'oak-bowl', name: 'Ash bowl', variants: [{ sku: 'BWL-OAK', price_cents: 4100 }] }),
  );
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, homewareDocuments + 1, 'another price is no other text');
  for (const job of await enqueuedJobs(ctx, embedDocumentJob)) await embedDocument(ctx, job);
  t.is((await embeddings.counts()).inputs, homewareDocuments + 1);
  await save('Oak bowl');
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, homewareDocuments + 2, 'a text that comes back is embedded again');
});

test.serial('searchDocuments follows renamed and removed documents', async (t) => {
  const { ctx, services } = t.context;
  const { id, variant } = await buildProduct(ctx, { slug: 'thing', name: 'Stoneware mug' });
  await buildProduct(ctx, { slug: 'else', name: 'Wool rug' });
  await runJobs(services);
  t.deepEqual(slugs(await settle(t.context, 'beaker')), ['thing']);
  await transact(ctx, (ctx) =>
    saveProduct(ctx, { slug: 'thing', name: 'Velvet sofa', variants: [{ sku: variant.sku, price_cents: 100 }] }),
  );
  await runJobs(services);
  t.false(slugs(await settle(t.context, 'beaker')).includes('thing'));
  t.deepEqual(slugs(await settle(t.context, 'couch')), ['thing']);
  await transact(ctx, (ctx) => removeProduct(ctx, 'thing'));
  await runJobs(services);
  await indexDocument(ctx, { kind: 'product', id });
  t.deepEqual(slugs(await settle(t.context, 'couch')), []);
});

test.serial(
  'embedDocument retries while the embedder is down, and a rejected document does not affect others',
  async (t) => {
    const { ctx, services, clock, embeddings } = t.context;
    const { embedder } = ctx.ports;
    await buildProduct(ctx, { slug: 'mug', name: 'Mug' });
    await buildProduct(ctx, { slug: 'poison', name: 'Poison' });
    await embeddings.fault({ kind: 'status', status: 503, times: 2 });
    const outcomes = await runJobs(services);
    t.true(outcomes.some((outcome) => outcome.startsWith('search.embed-document: snooze')));
    const pending = await enqueuedJobs(ctx, embedDocumentJob);
    t.is(pending.length, 2);

    const picky: Context = {
      ...ctx,
      ports: {
        ...ctx.ports,
        embedder: embedder && {
          ...embedder,
          async embed(texts, options) {
            if (texts.some((text) => text.includes('Poison'))) await embeddings.fault({ kind: 'status', status: 400 });
            return embedder.embed(texts, options);
          },
        },
      },
    };
    clock.pass(minutes(2));
    for (const job of [...pending, ...pending]) await embedDocument(picky, job);
    const rows = await read<{ done: boolean; embedded: boolean }>(
      ctx,
      sql`
    select pending is null as done, embedding is not null as embedded from search_embeddings
    where tenant_id = ${ctx.tenant.id} order by 2`,
    );
    t.deepEqual(rows, [
      { done: true, embedded: false },
      { done: true, embedded: true },
    ]);
  },
);

test.serial('embedDocument retries while the URL of the embedder is wrong', async (t) => {
  const { ctx, services, clock, embeddings } = t.context;
  await buildProduct(ctx, { name: 'Mug' });
  await embeddings.fault({ kind: 'status', status: 404 });
  const outcomes = await runJobs(services);
  t.true(outcomes.some((outcome) => outcome.startsWith('search.embed-document: snooze')));
  clock.pass(minutes(2));
  for (const job of await enqueuedJobs(ctx, embedDocumentJob)) await embedDocument(ctx, job);
  t.deepEqual(
    await read(
      ctx,
      sql`
      select embedding is not null as embedded from search_embeddings where tenant_id = ${ctx.tenant.id}`,
    ),
    [{ embedded: true }],
  );
});

test.serial('embedDocument embeds a text again that changed during the call', async (t) => {
  const { ctx, services } = t.context;
  const { embedder } = ctx.ports;
  const { id, variant } = await buildProduct(ctx, { slug: 'thing', name: 'Stoneware mug' });
  await indexDocument(ctx, { kind: 'product', id });
  const slow: Context = {
    ...ctx,
    ports: {
      ...ctx.ports,
      embedder: embedder && {
        ...embedder,
        async embed(texts, options) {
          const vectors = await embedder.embed(texts, options);
          await transact(ctx, (ctx) =>
            saveProduct(ctx, {
              slug: 'thing',
              name: 'Velvet sofa',
              variants: [{ sku: variant.sku, price_cents: 100 }],
            }),
          );
          await indexDocument(ctx, { kind: 'product', id });
          return vectors;
        },
      },
    },
  };
  await embedDocument(slow, { kind: 'product', id });
  const [row] = await read<{ pending: string | null }>(
    ctx,
    sql`select pending from search_embeddings where tenant_id = ${ctx.tenant.id}`,
  );
  t.regex(row?.pending ?? '', /Velvet sofa/);
  await runJobs(services);
  t.deepEqual(slugs(await settle(t.context, 'couch')), ['thing']);
});

test.serial('searchDocuments uses no names or words of another store', async (t) => {
  const { ctx, services, embeddings } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  await buildProduct(other, { slug: 'oak-bowl', name: 'Mgu bowl' });
  await buildProduct(ctx, { slug: 'mug', name: 'Plain mug' });
  await runJobs(services);
  await settle(t.context, 'cup');
  const before = (await embeddings.counts()).requests;
  await searchDocuments(ctx, { q: 'oak-bowl' });
  t.is((await embeddings.counts()).requests, before + 1, 'what is a name elsewhere is a word here');
  t.deepEqual(
    slugs(await searchDocuments(byText(ctx), { q: 'mgu' })),
    ['mug'],
    'what is spelled right elsewhere is a slip here',
  );
});

test.serial('sweepEmbeddings enqueues documents without an embedding of the current model', async (t) => {
  const { ctx, services, embeddings, clock } = t.context;
  await buildProduct(ctx, { slug: 'mug', name: 'Mug' });
  await runJobs(services);
  await transact(ctx, (ctx) => ctx.tx.execute(sql`delete from search_embeddings where tenant_id = ${ctx.tenant.id}`));
  await services.execute(sql`delete from outbox where tenant_id = ${ctx.tenant.id}`);
  clock.pass(days(1));
  await sweepEmbeddings(services.context(), { period: 1 });
  await sweepEmbeddings(services.context(), { period: 1 });
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, 2);
  await transact(ctx, (ctx) =>
    ctx.tx.execute(
      sql`update search_embeddings set model = 'old', content_hash = 'x' where tenant_id = ${ctx.tenant.id}`,
    ),
  );
  await sweepEmbeddings(services.context(), { period: 2 });
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, 3);
  await sweepEmbeddings(services.context(), { period: 3 });
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, 3, 'there is nothing left to do');
  await transact(ctx, (ctx) =>
    ctx.tx.execute(
      sql`update search_embeddings set pending = 'Mug', wanted_at = ${clock.now()} where tenant_id = ${ctx.tenant.id}`,
    ),
  );
  await sweepEmbeddings(services.context(), { period: 4 });
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, 3, 'what was just asked for is not asked for again');
  clock.pass(days(2) + hours(1));
  await sweepEmbeddings(services.context(), { period: 5 });
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, 4, 'what was given up is tried again');
});

test.serial('searchDocuments does not find unpublished documents by meaning', async (t) => {
  const { ctx, services, clock } = t.context;
  const ends_at = fromNow(clock, hours(1)).toISOString();
  await buildEntry(ctx, { type: 'announcement', slug: 'autumn', title: 'Mugs for autumn', ends_at });
  await buildProduct(ctx, { slug: 'mug', name: 'Stoneware mug' });
  await runJobs(services);
  t.deepEqual(slugs(await settle(t.context, 'cup')).toSorted(), ['autumn', 'mug']);
  clock.pass(hours(2));
  t.deepEqual(slugs(await settle(t.context, 'cup')), ['mug']);
});

test.serial(
  'requestEmbedding limits the vectors of a store, keeps existing ones, and reuses freed places',
  async (t) => {
    const { ctx, services, embeddings } = t.context;
    const { slug, variant } = await buildProduct(ctx, { slug: 'mug', name: 'Stoneware mug' });
    await buildProduct(ctx, { slug: 'rug', name: 'Jute rug' });
    await runJobs(services);
    t.is(await countedDocuments(ctx), 2);
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`update search_versions set documents = 20000 where tenant_id = ${ctx.tenant.id}`),
    );
    const before = (await embeddings.counts()).inputs;
    const { id } = await buildProduct(ctx, { slug: 'one-too-many', name: 'Velvet sofa' });
    const rename = (name: string) =>
      transact(ctx, (ctx) => saveProduct(ctx, { slug, name, variants: [{ sku: variant.sku, price_cents: 100 }] }));
    await rename('Stoneware cup');
    await runJobs(services);
    t.is((await embeddings.counts()).inputs, before + 1);
    t.deepEqual(
      slugs(await searchDocuments(byText(ctx), { q: 'velvet' })),
      ['one-too-many'],
      'it is still found by its words',
    );

    await sweepEmbeddings(services.context(), { period: 1 });
    await runJobs(services);
    t.is((await embeddings.counts()).inputs, before + 1, 'the sweep finds no room for it either');
    await transact(ctx, (ctx) => removeProduct(ctx, 'rug'));
    await runJobs(services);
    t.is(await countedDocuments(ctx), 19_999);
    await sweepEmbeddings(services.context(), { period: 2 });
    await runJobs(services);
    await indexDocument(ctx, { kind: 'product', id });
    t.is((await embeddings.counts()).inputs, before + 2);
    t.is(await countedDocuments(ctx), 20_000);
    await rename('Stoneware beaker');
    await runJobs(services);
    t.is(await countedDocuments(ctx), 20_000, 'a document that is embedded again is counted once');
  },
);

async function countedDocuments(ctx: Context): Promise<number | undefined> {
  const row = await readOne<{ documents: number }>(
    ctx,
    sql`select documents from search_versions where tenant_id = ${ctx.tenant.id}`,
  );
  return row?.documents;
}

test.serial('sweepEmbeddings embeds documents again that changed without an embedder', async (t) => {
  const { ctx, services, embeddings } = t.context;
  const { id, variant } = await buildProduct(ctx, { slug: 'thing', name: 'Stoneware mug' });
  await runJobs(services);
  await transact(ctx, (ctx) =>
    saveProduct(ctx, { slug: 'thing', name: 'Velvet sofa', variants: [{ sku: variant.sku, price_cents: 100 }] }),
  );
  await indexDocument(byText(ctx), { kind: 'product', id });
  await services.execute(sql`delete from outbox where tenant_id = ${ctx.tenant.id}`);
  t.deepEqual(slugs(await searchDocuments(ctx, { q: 'beaker' })), [], 'it is no mug any more');
  const before = (await embeddings.counts()).inputs;
  await sweepEmbeddings(services.context(), { period: 1 });
  await runJobs(services);
  t.is((await embeddings.counts()).inputs, before + 1);
  t.deepEqual(slugs(await settle(t.context, 'couch')), ['thing']);
});

test.serial('guessWords knows the words of new titles within a minute', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildProduct(ctx, { slug: 'mug', name: 'Stoneware mug' });
  await runJobs(services);
  t.deepEqual(slugs(await searchDocuments(byText(ctx), { q: 'velvit' })), []);
  await buildProduct(ctx, { slug: 'sofa', name: 'Velvet sofa' });
  await runJobs(services);
  clock.pass(seconds(61));
  await until(async () => slugs(await searchDocuments(byText(ctx), { q: 'velvit' })).includes('sofa'));
  t.pass();
});

test.serial('searchDocuments records searches without results, and pruneZeroResultSearches deletes them', async (t) => {
  const { ctx, services, clock } = t.context;
  await searchDocuments(ctx, { q: 'Submarine' });
  await searchDocuments(ctx, { q: ' submarine ' });
  await searchDocuments(ctx, { q: 'zeppelin' });
  for (const email of ['ada@example.com', 'ada%40example.com', 'ada＠example.com'])
    await searchDocuments(ctx, { q: email });
  t.false(
    (await listZeroResultSearches(ctx)).some(({ query }) => query.includes('example')),
    'nobody is named',
  );
  t.like(await listZeroResultSearches(ctx), only({ query: 'submarine', count: 2 }, { query: 'zeppelin', count: 1 }));
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    insert into zero_result_searches (tenant_id, query, count, last_at)
    select ${ctx.tenant.id}, 'random ' || number, 1, ${clock.now()}::timestamptz
    from generate_series(1, 5010) as number`),
  );
  await pruneZeroResultSearches(services.context());
  t.is((await listZeroResultSearches(ctx, { limit: 10_000 })).length, 5000, 'whoever searches at random fills no disk');
  t.like((await listZeroResultSearches(ctx))[0], { query: 'submarine', count: 2 });
  clock.pass(days(91));
  await pruneZeroResultSearches(services.context());
  t.deepEqual(await listZeroResultSearches(ctx), []);
});
