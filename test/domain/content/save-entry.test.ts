import anyTest, { type TestFn } from 'ava';

import { indexDocument } from '#jobs/search.ts';
import { transact } from '#src/database/transact.ts';
import { type EntryInput, removeEntry, saveEntry } from '#src/domain/content/index.ts';
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
