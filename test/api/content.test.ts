import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { removeEntry } from '#src/domain/content/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

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
  t.deepEqual((await api.call('GET', '/api/v1/content/podcast', { tenant: tenant.slug })).body, {
    entries: [],
    cursor: null,
  });
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
  await buildEntry(ctx, { slug: 'article' });
  const active = async () => {
    const { body, headers } = await api.call('GET', '/api/v1/content/announcements/active', { tenant: tenant.slug });
    t.is(headers.get('cache-control'), 'no-store');
    t.is(body.cursor, null);
    return body.entries.map(({ slug }: any) => slug);
  };
  t.deepEqual(await active(), ['always', 'since', 'until']);
  clock.pass(minutes(15));
  t.deepEqual(await active(), ['always', 'since', 'until', 'soon']);
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

test('content routes accept a key with the scope, or a tenant slug', async (t) => {
  const { api, ctx } = t.context;
  await buildEntry(ctx, { slug: 'care' });
  t.is(
    (await api.call('GET', '/api/v1/content/article/care', { key: await buildKey(ctx, ['content:write']) })).status,
    200,
  );
  for (const path of ['/api/v1/content/article', '/api/v1/content/article/care']) {
    const { status, body } = await api.call('GET', path, { key: await buildKey(ctx, ['cart:read']) });
    t.is(status, 403);
    t.like(body, { error: 'insufficient_scope', required_scope: 'content:read' });
    t.is((await api.call('GET', path)).body.error, 'missing_tenant');
  }
  t.is((await api.call('GET', '/api/v1/content/announcements/active')).body.error, 'missing_tenant');
});

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
