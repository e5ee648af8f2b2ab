import anyTest, { type TestFn } from 'ava';
import { readPage, searchPage } from '#src/database/read-page.ts';
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

for (const descending of [true, false]) {
  const direction = descending ? 'falling' : 'rising';
  test(`searchPage finds each row once, in ${direction} order, however many rows its indexes have`, async (t) => {
    const { ctx } = t.context;
    // More of each source than are examined for a page, of which few have a name.
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      insert into leads (tenant_id, id, email, source, name, created_at, updated_at)
      select ${ctx.tenant.id}, 'lead_' || lpad(i::text, 4, '0'), i || '@example.com',
        (array['a', 'footer'])[i % 2 + 1], case when i % 303 = 0 then 'Ada' end,
        '2026-01-01'::timestamptz + i / 100 * interval '1 day', now() from generate_series(1, 4000) as i`),
    );
    const list = async (range: { from?: string; to?: string }, cursor?: string) => {
      const source = 'footer';
      return searchPage<{ id: string }>(
        ctx,
        {
          name: 'leads',
          columns: ['l.created_at', 'l.id'],
          descending,
          table: sql`leads l`,
          alias: sql`l`,
          filter: { source, name: 'Ada', ...range },
          indexes: [{ has: [] }, { of: { column: 'l.source', value: source }, has: ['source'] }].map((index) => ({
            ...index,
            ...range,
          })),
          isWanted: sql`l.source = ${source} and l.name = 'Ada'`,
        },
        { cursor, limit: 2 },
        (more, from) => sql`select l.id${more} from ${from} where l.tenant_id = ${ctx.tenant.id}`,
      );
    };
    const listAll = async (range: { from?: string; to?: string }) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list(range, cursor);
        t.true(page.rows.length <= 2);
        found.push(...page.rows.map(({ id }) => id));
        cursor = page.cursor ?? undefined;
      } while (cursor);
      return descending ? found.toReversed() : found;
    };
    const all = [303, 909, 1515, 2121, 2727, 3333, 3939].map((number) => `lead_${String(number).padStart(4, '0')}`);
    t.deepEqual(await listAll({}), all);
    const range = { from: '2026-01-10T00:00:00Z', to: '2026-02-03T00:00:00Z' };
    t.deepEqual(await listAll(range), all.slice(1, 5));
    // A page of a range may follow one of another.
    const { cursor } = await list({});
    const { rows } = await list({ from: '2026-01-22T00:00:00Z', to: '2026-01-23T00:00:00Z' }, cursor ?? '');
    t.deepEqual(
      rows.map(({ id }) => id),
      ['lead_2121'],
    );
  });
}
