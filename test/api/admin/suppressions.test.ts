import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { isSuppressed, suppress } from '#src/domain/mail/index.ts';
import { auditOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

const suppressAll = ({ ctx }: OwnerContext, emails: readonly string[]) =>
  transact(ctx, async (ctx) => {
    for (const email of emails) await suppress(ctx, email, 'bounced');
  });

test('GET /admin/suppressions lists the suppressed addresses of the store page by page, and finds one', async (t) => {
  const { owner, otherOwner } = t.context;
  const emails = ['ada@example.com', 'bob@example.com', 'eve@example.com'];
  await suppressAll(t.context, emails.toReversed());
  const pages = await pagesOf(owner, '/suppressions', 'suppressions');
  t.deepEqual(
    pages.map((page) => page.map(({ email }) => email)),
    [emails.slice(0, 2), emails.slice(2)],
  );
  t.like(pages[0]?.[0], { email: 'ada@example.com', reason: 'bounced' });
  t.deepEqual(
    (await owner.get('/suppressions?email=BOB@example.com')).body.suppressions.map(({ email }: any) => email),
    ['bob@example.com'],
  );
  t.deepEqual((await otherOwner.get('/suppressions')).body, { suppressions: [], cursor: null });
  t.is(resultOf(await owner.get('/suppressions?cursor=wrong')), '400 invalid_cursor');
});

test('POST /admin/suppressions/release sends to an address again, and the log names none', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  await suppressAll(t.context, ['ada@example.com']);
  t.is((await otherOwner.post('/suppressions/release', { email: 'ada@example.com' })).status, 200);
  t.true(await isSuppressed(ctx, 'ada@example.com'), "another store's is its own");
  for (let time = 0; time < 2; time += 1) {
    t.deepEqual((await owner.post('/suppressions/release', { email: 'Ada@Example.com' })).body, { ok: true });
  }
  t.false(await isSuppressed(ctx, 'ada@example.com'));
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action }) => action),
    ['suppression.released'],
  );
  t.false(JSON.stringify(log).includes('ada@'));
  t.deepEqual(placesOf(await owner.post('/suppressions/release', {})), ['/email']);
});
