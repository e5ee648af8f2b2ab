import anyTest, { type TestFn } from 'ava';
import { pruneCodes } from '#jobs/retention.ts';
import { read, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import { requestCode } from '#src/domain/confirmations/index.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('pruneCodes removes one-time passwords after seven days, and a repeat removes nothing', async (t) => {
  const { clock, ctx, services } = t.context;
  const request = async () => {
    const id = newId('otp');
    await transact(ctx, (ctx) => requestCode(ctx, { id, purpose: 'providers.payments', action: 'try it' }));
    return id;
  };
  await request();
  clock.pass(days(7));
  const recent = await request();
  for (let count = 0; count < 2; count += 1) {
    await prune(services.context(), pruneCodes);
    const rows = await read<{ id: string }>(
      ctx,
      sql`select id from one_time_passwords where tenant_id = ${ctx.tenant.id}`,
    );
    t.deepEqual(
      rows.map(({ id }) => id),
      [recent],
    );
  }
});
