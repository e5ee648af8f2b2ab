import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { listAudit, presentAuditEntry, recordAudit } from '#src/domain/audit/index.ts';
import { correlate } from '#src/lib/correlation.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('recordAudit stores actor, action, subject and request', async (t) => {
  const ctx = { ...t.context.ctx, actor: { kind: 'key', id: 'key_1' } as const };
  await correlate({ requestId: 'req_1' }, () =>
    transact(ctx, (ctx) =>
      recordAudit(ctx, {
        action: 'promo_code.updated',
        subjectKind: 'promo_code',
        subjectId: 'promo_1',
        before: { value: 5 },
        after: { value: 10 },
      }),
    ),
  );

  const { rows, cursor } = await listAudit(ctx, { limit: 10 });
  t.is(cursor, null);
  const [entry] = rows;
  t.like(entry && presentAuditEntry(entry), {
    actor: { kind: 'key', id: 'key_1' },
    action: 'promo_code.updated',
    subject: { kind: 'promo_code', id: 'promo_1' },
    before: { value: 5 },
    after: { value: 10 },
    request_id: 'req_1',
  });
});

test('recordAudit stores nothing when the transaction is rolled back', async (t) => {
  const { ctx } = t.context;
  await t.throwsAsync(
    transact(ctx, async (ctx) => {
      await recordAudit(ctx, { action: 'key.revoked', subjectKind: 'key', subjectId: 'key_1' });
      throw new Error('changed our mind');
    }),
  );
  t.deepEqual((await listAudit(ctx, { limit: 10 })).rows, []);
});

test('listAudit returns pages of the own store, newest first, and filters by subject', async (t) => {
  const { ctx, services } = t.context;
  for (const number of [1, 2, 3]) {
    await transact(ctx, (ctx) =>
      recordAudit(ctx, { action: `thing.done-${number}`, subjectKind: 'thing', subjectId: `thing_${number % 2}` }),
    );
  }
  const first = await listAudit(ctx, { limit: 2 });
  t.deepEqual(
    first.rows.map(({ action }) => action),
    ['thing.done-3', 'thing.done-2'],
  );
  const second = await listAudit(ctx, { limit: 2, cursor: first.cursor ?? '' });
  t.deepEqual(
    second.rows.map(({ action }) => action),
    ['thing.done-1'],
  );
  t.is(second.cursor, null);

  const ofOne = await listAudit(ctx, { limit: 10, subjectKind: 'thing', subjectId: 'thing_1' });
  t.deepEqual(
    ofOne.rows.map(({ action }) => action),
    ['thing.done-3', 'thing.done-1'],
  );
  t.deepEqual((await listAudit({ ...ctx, tenant: await buildTenant(services) }, { limit: 10 })).rows, []);
});
