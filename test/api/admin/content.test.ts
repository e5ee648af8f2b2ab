import anyTest, { type TestFn } from 'ava';

import { buildEntry } from '#test/support/factories/content.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

const guide = {
  type: 'article',
  slug: 'oil',
  title: 'How to oil wood',
  body: { format: 'markdown', value: '# Oil' },
  tags: ['care'],
};

test('admin content: a draft is created, published and removed', async (t) => {
  const { api, clock, ctx, owner, tenant } = t.context;
  const made = await owner.post('/content', guide);
  t.is(made.status, 201);
  t.like(made.body.entry, { slug: 'oil', published_at: null, tags: ['care'], version: 1 });
  const seen = () => api.call('GET', '/api/v1/content/article/oil', { tenant: tenant.slug });
  t.is((await seen()).status, 404);
  t.deepEqual((await owner.put('/content/article/oil', made.body.entry)).body, made.body);

  const published = await owner.put('/content/article/oil', {
    ...made.body.entry,
    published_at: clock.now().toISOString(),
  });
  t.truthy(published.body.entry.published_at);
  clock.pass(1100);
  t.is((await seen()).status, 200);
  t.deepEqual((await owner.delete('/content/article/oil')).body, { ok: true });
  t.is(resultOf(await owner.get('/content/article/oil')), '404 not_found');
  t.deepEqual(await deedsOf(ctx), ['content.created', 'content.updated', 'content.removed']);
  const [, updated] = await auditOf(ctx);
  t.like(updated, { subject: { kind: 'content', id: made.body.entry.id }, before: { published_at: null } });
  t.deepEqual(updated?.after.changed, ['published_at']);
});

test('admin content rejects a used name, an unknown entry and an invalid body', async (t) => {
  const { owner } = t.context;
  await owner.post('/content', guide);
  t.deepEqual(placesOf(await owner.post('/content', guide)), ['/slug']);
  t.deepEqual(placesOf(await owner.post('/content', { ...guide, type: 'No Type', title: undefined })).toSorted(), [
    '/title',
    '/type',
  ]);
  const window = { ...guide, slug: 'window', starts_at: '2026-11-20T12:00:00Z', ends_at: '2026-11-20T12:00:00Z' };
  t.deepEqual(placesOf(await owner.post('/content', window)), ['/ends_at']);
  for (const response of [
    await owner.put('/content/page/oil', guide),
    await owner.delete('/content/article/none'),
    await owner.get('/content/article/none'),
  ]) {
    t.is(resultOf(response), '404 not_found');
  }
});

test('GET /admin/content lists pages and filters by type', async (t) => {
  const { ctx, owner } = t.context;
  for (const slug of ['a', 'b', 'c']) await buildEntry(ctx, { slug });
  await owner.post('/content', { ...guide, type: 'page' });
  const pages = await pagesOf(owner, '/content', 'entries');
  t.deepEqual(
    pages.map((page) => page.map(({ slug }) => slug)),
    [
      ['oil', 'c'],
      ['b', 'a'],
    ],
  );
  t.deepEqual(
    (await owner.get('/content?type=page')).body.entries.map(({ slug }: any) => slug),
    ['oil'],
  );
});
