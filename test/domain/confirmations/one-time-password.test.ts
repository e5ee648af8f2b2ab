import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { requestCode, useCode } from '#src/domain/confirmations/index.ts';
import { deriveCode } from '#src/domain/tenants/index.ts';
import { newId } from '#src/lib/ids.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial('useCode accepts the newest one-time password, though an earlier one has a later id', async (t) => {
  const { clock, ctx } = t.context;
  const purpose = 'providers.payments';
  const request = (id: string) => transact(ctx, (ctx) => requestCode(ctx, { id, purpose, action: 'try it' }));
  const submit = async (id: string) => {
    const code = await deriveCode(ctx, purpose, id);
    return transact(ctx, (ctx) => useCode(ctx, { id, purpose, code }));
  };
  const fromAhead = `otp_7${'z'.repeat(25)}`;
  const newest = newId('otp');
  await request(fromAhead);
  clock.pass(1000);
  await request(newest);

  t.false(await submit(fromAhead));
  t.true(await submit(newest));
});

test('useCode accepts a one-time password though a newer one of another purpose was requested', async (t) => {
  const { ctx } = t.context;
  const [older, newer] = [
    { id: newId('otp'), purpose: 'providers.payments' },
    { id: newId('otp'), purpose: 'providers.shipping' },
  ];
  for (const each of [older, newer]) await transact(ctx, (ctx) => requestCode(ctx, { ...each, action: 'try it' }));
  const code = await deriveCode(ctx, older.purpose, older.id);
  t.true(await transact(ctx, (ctx) => useCode(ctx, { ...older, code })));
});
