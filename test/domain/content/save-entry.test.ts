import anyTest, { type TestFn } from 'ava';

import { indexDocument } from '#jobs/search.ts';
import { transact } from '#src/database/transact.ts';
import { type EntryInput, listEntries, removeEntry, saveEntry } from '#src/domain/content/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import type { DomainError } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { only } from '#test/support/only.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const care: EntryInput = {
  type: 'article',
  slug: 'care',
  title: 'Care',
  tags: ['wood'],
  published_at: '2026-01-05T00:00:00Z',
  starts_at: null,
  ends_at: '2026-02-05T01:00:00+01:00',
  image: { url: 'https://cdn.example/oil.jpg' },
};

test('saveEntry creates an entry once and returns the changed fields', async (t) => {
  const { ctx } = t.context;
  const save = (more = {}) => transact(ctx, (ctx) => saveEntry(ctx, { ...care, ...more }));
  t.like(await save(), { subject: 'content article/care', action: 'created', fields: [] });
  t.like(await save({ ends_at: '2026-02-05T00:00:00.000Z' }), {
    subject: 'content article/care',
    action: 'unchanged',
    fields: [],
  });
  const change = await save({ tags: [], body: { format: 'text', value: 'Oil it.' }, ends_at: null });
  t.like(change, { subject: 'content article/care', action: 'updated', fields: only('body', 'tags', 'ends_at') });
  t.deepEqual(
    (await enqueuedJobs(ctx, indexDocument)).map(({ version }) => version),
    [1, 2],
  );
});

test('an entry is listed by the tags that it has now, from its publication', async (t) => {
  const { ctx } = t.context;
  const save = (more = {}) => transact(ctx, (ctx) => saveEntry(ctx, { ...care, ...more }));
  const listedBy = async () => {
    const found = ['wood', 'oil', 'clay'].map(async (tag) => (await listEntries(ctx, 'article', { tag })).rows.length);
    return Promise.all(found);
  };
  const later = { published_at: fromNow(ctx.clock, hours(1)).toISOString() };
  await save({ tags: ['wood', 'oil'], ...later });
  t.deepEqual(await listedBy(), [0, 0, 0]);
  await save({ tags: ['wood', 'oil'] });
  t.deepEqual(await listedBy(), [1, 1, 0]);
  await save({ tags: ['oil', 'clay'] });
  t.deepEqual(await listedBy(), [0, 1, 1]);
  await save({ tags: ['oil', 'clay'], ...later });
  t.deepEqual(await listedBy(), [0, 0, 0]);
});

test('removeEntry removes an entry once', async (t) => {
  const { ctx } = t.context;
  await transact(ctx, (ctx) => saveEntry(ctx, care));
  const remove = () => transact(ctx, (ctx) => removeEntry(ctx, care));
  t.is((await remove()).action, 'removed');
  t.is((await remove()).action, 'unchanged');
  t.is((await enqueuedJobs(ctx, indexDocument)).length, 2);
});

test('saveEntry rejects an entry that ends before it starts', async (t) => {
  const { ctx } = t.context;
  const backwards = { ...care, starts_at: '2026-02-05T00:00:00Z' };
  const error = await t.throwsAsync<DomainError>(transact(ctx, (ctx) => saveEntry(ctx, backwards)));
  t.is(error?.code, 'invalid_request');
  t.like(error?.extensions['errors'], only({ path: '/ends_at' }) as any);
});
