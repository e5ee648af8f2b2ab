import anyTest, { type TestFn } from 'ava';
import { readPage } from '#src/database/read-page.ts';
import { transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

for (const descending of [true, false]) {
  const direction = descending ? 'falling' : 'rising';
  test(`readPage reads each row with a value once, page by page, in ${direction} order`, async (t) => {
    const { ctx } = t.context;
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      insert into leads (tenant_id, id, email, source, created_at, updated_at)
      select ${ctx.tenant.id}, 'lead_' || lpad(i::text, 2, '0'), i || '@example.com',
        (array['a', 'footer', 'z'])[i % 3 + 1], now(), now() from generate_series(1, 21) as i`),
    );
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await readPage<{ id: string }>(
        ctx,
        { name: 'leads', of: { column: 'source', value: 'footer' }, columns: ['created_at', 'id'], descending },
        { cursor, limit: 3 },
        (position) => sql`select id${position} from leads where tenant_id = ${ctx.tenant.id}`,
      );
      found.push(...page.rows.map(({ id }) => id));
      cursor = page.cursor ?? undefined;
    } while (cursor);
    const all = ['01', '04', '07', '10', '13', '16', '19'].map((number) => `lead_${number}`);
    t.deepEqual(found, descending ? all.toReversed() : all);
  });
}
