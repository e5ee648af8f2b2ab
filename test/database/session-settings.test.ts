import anyTest, { type TestFn } from 'ava';
import pg from 'pg';
import { inspectDatabase } from '#src/database/prove-database.ts';
import { read, transact } from '#src/database/transact.ts';
import { takeOrderNumber } from '#src/domain/orders/index.ts';
import { sql } from '#src/lib/sql.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { type OwnServices, openOwnServices } from '#test/support/own-services.ts';
import { buildTenant } from '#test/support/tenant.ts';

/* Settings that another application may have good reasons to give to the role, the database or the server. */
const test = anyTest as TestFn<OwnServices>;

/** Services whose database has these defaults. */
async function openWith(settings: Record<string, string>): Promise<OwnServices> {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // PostgreSQL knows the settings of an extension once a session has used it.
  await client.query('select show_limit()');
  for (const [name, value] of Object.entries(settings)) {
    const { rows } = await client.query(
      `select format('alter database %I set ${name} = %L', current_database(), $1::text) as statement`,
      [value],
    );
    await client.query(rows[0].statement);
  }
  await client.end();
  const own = await openOwnServices({ DATABASE_URL: database.url });
  return { ...own, close: () => own.close().finally(() => database.drop()) };
}

test('the defaults of a database change neither what statements mean nor what they return', async (t) => {
  const { services, close } = await openWith({
    datestyle: 'German, DMY',
    intervalstyle: 'sql_standard',
    timezone: 'Pacific/Chatham',
    bytea_output: 'escape',
    extra_float_digits: '-5',
    array_nulls: 'off',
    standard_conforming_strings: 'off',
    default_transaction_isolation: 'serializable',
    row_security: 'off',
    lock_timeout: '1ms',
  });
  try {
    const [row] = await services.execute<Record<string, unknown>>(sql`
      select timestamptz '2026-02-03T04:05:06Z' as at, 0.1::float8 + 0.2::float8 as float, 'a\\b' as text,
        (${['a', null]}::text[])[2] is null as "hasNull", decode('ff00', 'hex') as bytes,
        date '2026-02-03' = timestamptz '2026-02-03T00:00:00Z' as "startsAtMidnightUtc"`);
    t.deepEqual(row, {
      at: new Date('2026-02-03T04:05:06Z'),
      float: 0.1 + 0.2,
      text: 'a\\b',
      hasNull: true,
      bytes: Buffer.from([255, 0]),
      startsAtMidnightUtc: true,
    });
    const ctx = { ...services.context(), tenant: await buildTenant(services) };
    const numbers = await Promise.all(Array.from({ length: 20 }, () => takeOrderNumber(ctx)));
    t.is(new Set(numbers).size, 20);
  } finally {
    await close();
  }
});

test('a commit is durable, and a search complete, whatever the database has as its defaults', async (t) => {
  const expected = {
    synchronous_commit: 'on',
    gin_fuzzy_search_limit: '0',
    transform_null_equals: 'off',
    'pg_trgm.word_similarity_threshold': '0.6',
  };
  const { services, close } = await openWith({
    synchronous_commit: 'off',
    gin_fuzzy_search_limit: '1',
    transform_null_equals: 'on',
    'pg_trgm.word_similarity_threshold': '1',
  });
  try {
    const rows = await services.execute<{ name: string; setting: string }>(sql`
      select name, current_setting(name) as setting from unnest(${Object.keys(expected)}::text[]) as name`);
    t.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), expected);
  } finally {
    await close();
  }
});

test('a database that waits for its standbys at each commit keeps doing so', async (t) => {
  const { services, close } = await openWith({ synchronous_commit: 'remote_apply' });
  try {
    const rows = await services.execute(sql`select current_setting('synchronous_commit') as setting`);
    t.deepEqual(rows, [{ setting: 'remote_apply' }]);
  } finally {
    await close();
  }
});

test('stores stay apart in sessions that begin with all of them, as those of a dump do', async (t) => {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  url.searchParams.set('options', '-c app.platform=on');
  const { services, close } = await openOwnServices({ DATABASE_URL: url.href });
  try {
    const [ctx, other] = await Promise.all(
      [1, 2].map(async () => ({ ...services.context(), tenant: await buildTenant(services) })),
    );
    if (!ctx || !other) return t.fail();
    await Promise.all([takeOrderNumber(ctx), takeOrderNumber(other)]);
    const all = sql`select tenant_id from order_numbers`;
    t.deepEqual(await read(ctx, all), [{ tenant_id: ctx.tenant.id }]);
    t.deepEqual(await transact(ctx, (ctx) => ctx.tx.execute(all)), [{ tenant_id: ctx.tenant.id }]);
    t.deepEqual(await services.execute(all), []);
  } finally {
    await close().finally(() => database.drop());
  }
});

test('a transaction may last longer than the database allows by default', async (t) => {
  const { services, close } = await openWith({});
  try {
    const [{ version } = { version: 0 }] = await services.execute<{ version: number }>(
      sql`select current_setting('server_version_num')::int as version`,
    );
    // The setting came with version 17.
    if (version < 170000) return t.pass();
  } finally {
    await close();
  }
  const limited = await openWith({ transaction_timeout: '500ms' });
  try {
    const ctx = { ...limited.services.context(), tenant: await buildTenant(limited.services) };
    await t.notThrowsAsync(transact(ctx, (ctx) => ctx.tx.execute(sql`select pg_sleep(1)`)));
  } finally {
    await limited.close();
  }
});

test('a database whose default is to accept no changes is not ready, and its inspection says so', async (t) => {
  const { services, close } = await openWith({ default_transaction_read_only: 'on' });
  try {
    t.false(await services.context().database.answers());
    t.like(await inspectDatabase(services.execute), { isReadOnly: true, isStandby: false });
  } finally {
    await close();
  }
});
