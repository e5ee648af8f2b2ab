import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { explainConnection } from '#src/database/explain-connection.ts';
import { FailedMigration } from '#src/database/failed-migration.ts';
import { migrate, pendingMigrations } from '#src/database/migrate.ts';
import { parsePostgresUrl } from '#src/database/postgres-url.ts';
import { proveDatabase, UnfitDatabase } from '#src/database/prove-database.ts';
import type { Sql } from '#src/lib/sql.ts';
import { createEmptyDatabase } from '#test/support/database.ts';
import { until } from '#test/support/until.ts';

async function emptyDatabase(t: ExecutionContext, name?: string): Promise<string> {
  const { url, drop } = await createEmptyDatabase(name);
  t.teardown(drop);
  return url;
}

async function connect(t: ExecutionContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...parsePostgresUrl(url), application_name: 'test' });
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

const returnsMigration = '0021-returns';

/** Undo one migration, so that applying it again needs a lock on another table: its tables reference orders. */
async function undoReturns(client: pg.Client): Promise<void> {
  await client.query('drop table return_items, returns, return_counters');
  await client.query('delete from migrations where name = $1', [returnsMigration]);
}

test('migrate works on a database of any name, in any encoding, as a role that can create none', async (t) => {
  const names = ['shop üç$f9', '50% /off?#"now"', 'postgres-copy:1,2;3=4@5&6+7', "o'brien", "a'b\\c'%41 🛒"];
  for (const name of names) {
    const url = new URL(await emptyDatabase(t, name));
    url.pathname = `/${encodeURIComponent(name)}`;
    t.true((await migrate(url.href)).length > 0, name);
    const client = await connect(t, url.href);
    const { rows } = await client.query(
      'select current_database() as name, rolcreatedb as creates from pg_roles where rolname = current_user',
    );
    t.deepEqual(rows, [{ name, creates: false }]);
  }
});

test('parsePostgresUrl decodes user, password and name, whatever of the name is encoded', (t) => {
  const names = {
    'd7%20üç$f9': 'd7 üç$f9',
    '50%?sslmode=disable': '50%',
    'Läden DB': 'Läden DB',
    'a%%2Fb c': 'a%/b c',
  };
  for (const [written, database] of Object.entries(names))
    t.like(
      parsePostgresUrl(`postgres://r%C3%B4le:p%40%2Fs%C3%9Fs@h:5433/${written}`),
      { user: 'rôle', password: 'p@/sßs', host: 'h', port: 5433, database },
      written,
    );
});

test('parsePostgresUrl has a limit for connecting, that of the URL or 5 s', (t) => {
  const timeoutOf = (query: string) => parsePostgresUrl(`postgres://u:p@h/shop${query}`).connectionTimeoutMillis;
  t.is(timeoutOf('?connect_timeout=12'), 12_000);
  for (const query of ['', '?connect_timeout=0', '?connect_timeout=', '?connect_timeout=soon'])
    t.is(timeoutOf(query), 5000, query);
});

/** Accepts connections, and writes this on each that has sent something. */
async function startServer(t: ExecutionContext, response: string) {
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('data', () => socket.write(response)).on('error', closed.resolve);
    socket.on('end', closed.resolve);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://u:p@127.0.0.1:${port}/shop?connect_timeout=1`, closed: closed.promise };
}

test('migrate closes a connection on which it cannot log in, or the server does not respond', async (t) => {
  const rejection = 'SFATAL\0C28000\0Mno such role\0\0';
  const rejected = `E\0\0\0${String.fromCharCode(rejection.length + 4)}${rejection}`;
  for (const [response, message] of [
    [rejected, /no such role/],
    ['', /timeout expired/],
  ] as const)
    for (const begin of [migrate, pendingMigrations]) {
      const { url, closed } = await startServer(t, response);
      const error = await t.throwsAsync(begin(url), { message });
      t.regex(explainConnection(error)?.advice ?? '', /DATABASE_URL/);
      await t.notThrowsAsync(closed);
    }
});

test('migrate reports why it failed when the server ends its connections meanwhile', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  const [reader, operator] = [await connect(t, url), await connect(t, url)];
  await undoReturns(reader);
  await reader.query('begin; lock table orders');
  const failure = t.throwsAsync(migrate(url, undefined, { lockTimeoutMs: 60_000, lockAttempts: 1 }));
  const theirs = `from pg_stat_activity where datname = current_database() and application_name <> 'test'
    and backend_type = 'client backend'`;
  await until(async () => (await operator.query(`select 1 ${theirs} and wait_event_type = 'Lock'`)).rowCount === 1);
  await operator.query(`select pg_terminate_backend(pid) ${theirs}`);
  t.regex((await failure).message, /terminating connection|Connection terminated/);
});

test('migrate and the check of row-level security use the schema that the URL chooses', async (t) => {
  const plain = await emptyDatabase(t);
  await (await connect(t, plain)).query('create schema app');
  const inSchema = new URL(plain);
  inSchema.searchParams.set('options', '-c search_path=app');
  const url = inSchema.href;
  await migrate(url);
  t.deepEqual(await pendingMigrations(url), []);
  const client = await connect(t, url);
  const run = async (statement: Sql) => (await client.query(statement.text, [...statement.values])).rows;
  t.is((await client.query("select 1 from pg_tables where schemaname = 'app' and tablename = 'orders'")).rowCount, 1);
  await t.notThrowsAsync(proveDatabase(run));
  await client.query('create table wide_open (tenant_id text)');
  await t.throwsAsync(proveDatabase(run), { message: /wide_open/ });
});

test('migrate and processes reject a search_path that chooses another schema than that of the tables', async (t) => {
  const plain = await emptyDatabase(t);
  const client = await connect(t, plain);
  const schemas = `select nspname as name, count(c.oid)::int as tables from pg_namespace n
    left join pg_class c on c.relnamespace = n.oid and relkind = 'r' where nspname in ('public', 'shop') group by 1`;
  const inSchema = (searchPath: string) => {
    const url = new URL(plain);
    url.searchParams.set('options', `-c search_path=${searchPath}`);
    return url.href;
  };
  const missing = 'The search_path names no schema that exists';
  for (const begin of [migrate, pendingMigrations])
    await t.throwsAsync(begin(inSchema('nowhere')), {
      instanceOf: UnfitDatabase,
      message: `${missing}. Create the schema, or remove search_path from DATABASE_URL and its role.`,
    });
  await migrate(plain);
  await client.query('create schema shop');
  const before = (await client.query(schemas)).rows;

  for (const [searchPath, message] of [
    ['nowhere', `${missing}, and the tables are in "public".`],
    ['shop', 'The search_path chooses "shop", and the tables are in "public".'],
    ['shop,public', 'The search_path chooses "shop", and the tables are in "public".'],
  ] as const) {
    const url = inSchema(searchPath);
    for (const begin of [migrate, pendingMigrations]) {
      const error = await t.throwsAsync(begin(url), { instanceOf: UnfitDatabase }, searchPath);
      t.is(
        error.message,
        `${message} Let the search_path of DATABASE_URL or its role begin with "public". ` +
          'Another installation needs a database of its own.',
      );
    }
    const other = await connect(t, url);
    const execute = async ({ text, values }: Sql) => (await other.query(text, [...values])).rows;
    if (searchPath === 'shop,public') await t.notThrowsAsync(proveDatabase(execute), 'the tables are found');
    else await t.throwsAsync(proveDatabase(execute), { instanceOf: UnfitDatabase, message: new RegExp(`^${message}`) });
  }
  t.deepEqual((await client.query(schemas)).rows, before);
  t.deepEqual(await migrate(plain), []);
});

test('concurrent migrations run once, and all of them succeed', async (t) => {
  const url = await emptyDatabase(t);
  const pending = await pendingMigrations(url);
  t.true(pending.length > 0);

  const messages: string[] = [];
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(url, (message) => messages.push(message))));

  t.deepEqual(
    applied.filter((names) => names.length > 0),
    [pending],
    'one of them applied everything, the others nothing',
  );
  t.is(messages.filter((message) => message.startsWith('Applying ')).length, pending.length);
  t.true(messages.includes('Another release is migrating; waiting for it.'));
  t.deepEqual(await pendingMigrations(url), []);
});

test('migrate and processes reject a database that cannot store every name', async (t) => {
  const { url, drop } = await createEmptyDatabase(
    undefined,
    "encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0",
  );
  t.teardown(drop);
  const message =
    /^The encoding of the database is LATIN1, [^\n]*create database … encoding 'UTF8' template template0;$/;
  await t.throwsAsync(migrate(url), { instanceOf: UnfitDatabase, message });
  const client = await connect(t, url);
  const run = async (statement: Sql) => (await client.query(statement.text, [...statement.values])).rows;
  await t.throwsAsync(proveDatabase(run), { instanceOf: UnfitDatabase, message });
});

test('migrate waits for another release longer than the time limits of its role', async (t) => {
  const url = await emptyDatabase(t);
  const other = await connect(t, url);
  await migrate(url);
  await undoReturns(other);
  await other.query(`
    do $$ declare setting text; begin
      foreach setting in array array['statement_timeout', 'lock_timeout'] loop
        execute format('alter database %I set %s = 100', current_database(), setting);
      end loop;
    end $$`);
  await other.query('select pg_advisory_lock(7203114001)');
  const applied = migrate(url);
  await until(async () => (await other.query("select 1 from pg_locks where locktype = 'advisory'")).rowCount === 2);
  await setTimeout(300);
  await other.query('select pg_advisory_unlock(7203114001)');
  t.deepEqual(await applied, [returnsMigration]);
});

test('migrate changes nothing in a schema that is up to date', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  t.deepEqual(await migrate(url), []);
});

test('migrations are numbered, and applied in that order', async (t) => {
  const pending = await pendingMigrations(await emptyDatabase(t));
  t.deepEqual(pending, pending.toSorted());
  for (const [index, name] of pending.entries()) {
    t.regex(name, /^\d{4}-[a-z]+(-[a-z]+)*$/);
    t.is(Number(name.slice(0, 4)), index + 1, name);
  }
});

test('migrate fails without changes rather than waiting for a locked table', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  t.teardown(() => reader.end());
  await undoReturns(reader);
  await reader.query('begin; lock table orders in row exclusive mode');
  const reports: string[] = [];
  await t.throwsAsync(
    migrate(url, (report) => reports.push(report), { lockTimeoutMs: 100, lockAttempts: 2 }),
    {
      instanceOf: FailedMigration,
      message:
        `${returnsMigration} failed, and nothing was changed: canceling statement due to lock timeout. ` +
        'End the transaction that uses the table, or try again.',
    },
  );
  const applying = `Applying ${returnsMigration}.`;
  t.deepEqual(reports, [applying, 'A table is in use; trying again.', applying]);
  t.deepEqual(await pendingMigrations(url), [returnsMigration]);
});

test('migrate lets others use a table between its attempts to lock it, and ends once nothing locks it', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  const [reader, shopper] = [await connect(t, url), await connect(t, url)];
  await undoReturns(reader);
  await reader.query('begin; lock table orders in row exclusive mode');
  let used = 0;
  const applied = migrate(
    url,
    async (report) => {
      if (!report.includes('in use')) return;
      await shopper.query('select from orders');
      used += 1;
      if (used === 2) await reader.query('commit');
    },
    { lockTimeoutMs: 200, lockAttempts: 100 },
  );
  t.deepEqual(await applied, [returnsMigration]);
  t.true(used >= 2);
});

test('migrate says what PostgreSQL rejected of a migration, and that nothing was changed', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  const client = await connect(t, url);
  await undoReturns(client);
  await client.query('create table returns (id int)');
  await t.throwsAsync(migrate(url), {
    instanceOf: FailedMigration,
    message: `${returnsMigration} failed, and nothing was changed: relation "returns" already exists.`,
  });
  t.deepEqual(await pendingMigrations(url), [returnsMigration]);
});
