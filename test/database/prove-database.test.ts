import anyTest, { type TestFn } from 'ava';
import pg from 'pg';
import { readConfig } from '#src/config.ts';
import { migrate } from '#src/database/migrate.ts';
import { proveDatabase, UnfitDatabase } from '#src/database/prove-database.ts';
import { type Embedded, startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { silentLog } from '#src/lib/log.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';
import { createServices } from '#src/services.ts';
import { codeBlock } from '#test/support/documents.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { runEntry } from '#test/support/run-entry.ts';

/* A server of its own: only its superuser can show what a superuser may not. */
const test = anyTest as TestFn<void>;
let embedded: Pick<Embedded, 'stop'>;
let owner: pg.Pool;
let superuser: pg.Pool;
let adminUrl: string;
let ownerUrl: string;

test.before(async () => {
  const started = await startEmbedded({ postgres: true, redis: false });
  embedded = started;
  adminUrl = started.databaseAdminUrl ?? '';
  ownerUrl = started.databaseUrl ?? '';
  owner = new pg.Pool({ connectionString: started.databaseUrl, max: 1 });
  superuser = new pg.Pool({ connectionString: started.databaseAdminUrl, max: 1 });
  await migrate(started.databaseUrl ?? '');
});
test.after.always(async () => {
  await Promise.all([owner?.end(), superuser?.end()]);
  await embedded?.stop();
});

function runOn(pool: pg.Pool): Execute {
  return async (statement) => (await pool.query(statement.text, [...statement.values])).rows;
}

test.serial('proveDatabase accepts an ordinary owner of a migrated database', async (t) => {
  await t.notThrowsAsync(proveDatabase(runOn(owner)));
});

test.serial('proveDatabase accepts the documented database and role, and the second one that acts as it', async (t) => {
  for (const [role, beginning] of [
    ['storefront', 'create role storefront login'],
    ['storefront_2', 'create role storefront_2'],
  ] as const) {
    for (const statement of codeBlock('src/cli/DEPLOYMENT.md', 'sql', beginning).trim().split('\n'))
      await superuser.query(statement);
    const url = new URL(adminUrl);
    Object.assign(url, { username: role, password: '…', pathname: '/storefront' });
    await migrate(url.href);
    const documented = new pg.Pool({ connectionString: url.href, max: 1 });
    try {
      await t.notThrowsAsync(proveDatabase(runOn(documented)));
      await documented.query('create table added ()');
      const { rows } = await documented.query("select tableowner from pg_tables where tablename = 'added'");
      t.deepEqual(rows, [{ tableowner: 'storefront' }]);
      await documented.query('drop table added');
    } finally {
      await documented.end();
    }
  }
});

test.serial('proveDatabase rejects a superuser, with the two statements that create a fitting role', async (t) => {
  const error = await t.throwsAsync(proveDatabase(runOn(superuser)), { instanceOf: UnfitDatabase });
  t.regex(error.message, /create role .* nosuperuser nobypassrls;/);
  t.regex(error.message, /alter database .* owner to /);
  t.is(error.message.split('\n').length, 3);
});

test.serial('migrate rejects a superuser before it owns tables that processes could not use', async (t) => {
  await superuser.query("create database untouched encoding 'UTF8' template template0");
  const url = new URL(adminUrl);
  url.pathname = '/untouched';
  await t.throwsAsync(migrate(url.href), { instanceOf: UnfitDatabase, message: /bypasses row-level security/ });
  const untouched = new pg.Client({ connectionString: url.href });
  await untouched.connect();
  try {
    const { rows } = await untouched.query("select tablename from pg_tables where schemaname = 'public'");
    t.deepEqual(rows, []);
  } finally {
    await untouched.end();
  }
});

test.serial('migrate rejects the tables of another role, and says who must own them', async (t) => {
  await superuser.query("create role stranger login password 'stranger'");
  const { rows } = await superuser.query<{ name: string }>('select current_database() as name');
  await superuser.query(`grant create on database ${pg.escapeIdentifier(rows[0]?.name ?? '')} to stranger`);
  const url = new URL(ownerUrl);
  Object.assign(url, { username: 'stranger', password: 'stranger' });
  await t.throwsAsync(migrate(url.href), {
    instanceOf: UnfitDatabase,
    message: /Make the role of DATABASE_URL the owner of the database and its tables\./,
  });
});

test.serial(
  'a role with every privilege on the tables of another role is rejected by each process and by doctor',
  async (t) => {
    await superuser.query("create role clerk login password 'clerk'");
    await superuser.query('grant create on schema public to clerk');
    await superuser.query('grant select, insert, update, delete on all tables in schema public to clerk');
    const url = new URL(ownerUrl);
    Object.assign(url, { username: 'clerk', password: 'clerk' });
    const clerk = new pg.Pool({ connectionString: url.href, max: 1 });
    t.teardown(() => clerk.end());
    const message = /"clerk" does not own the tables .+ and \d+ more\. Make the role of DATABASE_URL the owner/;
    await t.throwsAsync(proveDatabase(runOn(clerk)), { instanceOf: UnfitDatabase, message });
    const { code, out } = await runEntry(
      'src/cli/main.ts',
      ['doctor', '--problems'],
      testEnvironment({ DATABASE_URL: url.href }),
    );
    t.is(code, 1);
    t.regex(out, /"clerk" does not own the tables/);
    await superuser.query(`grant ${pg.escapeIdentifier(decodeURIComponent(new URL(ownerUrl).username))} to clerk`);
    await t.notThrowsAsync(proveDatabase(runOn(clerk)), 'a member of the owner may do all that it may');
  },
);

test.serial('neither the web nor a worker starts as a superuser', async (t) => {
  for (const entry of ['src/server.ts', 'workers/all.ts']) {
    const { code, err } = await runEntry(entry, [], testEnvironment({ DATABASE_URL: adminUrl }));
    t.is(code, 1, entry);
    t.regex(
      err,
      /^The role ".+" bypasses row-level security[^\n]*\n {2}create role [^\n]*\n {2}alter database [^\n]*\n$/,
      entry,
    );
  }
});

test.serial('proveDatabase rejects a role that bypasses row-level security', async (t) => {
  await superuser.query('create role around login bypassrls');
  const asRole: Execute = async (statement) => {
    const client = await superuser.connect();
    try {
      await client.query('set role around');
      return (await client.query(statement.text, [...statement.values])).rows;
    } finally {
      await client.query('reset role');
      client.release();
    }
  };
  await t.throwsAsync(proveDatabase(asRole), {
    instanceOf: UnfitDatabase,
    message: /"around" bypasses row-level security/,
  });
});

test.serial('proveDatabase names a table without row-level security, or without it for its owner', async (t) => {
  await owner.query('create table wide_open (tenant_id text)');
  await owner.query('create table half_open (tenant_id text)');
  await owner.query('alter table half_open enable row level security');
  const error = await t.throwsAsync(proveDatabase(runOn(owner)), { instanceOf: UnfitDatabase });
  t.regex(error.message, /wide_open/);
  t.regex(error.message, /half_open/);
  t.notRegex(error.message, /tenants|outbox/);
  await owner.query('drop table wide_open, half_open');
  await t.notThrowsAsync(proveDatabase(runOn(owner)));
});

test.serial('proveDatabase rejects clocks that differ by more than half a minute', async (t) => {
  const offBy = (seconds: number): Execute => {
    const run = runOn(owner);
    const later = ([name, value]: [string, unknown]) => [name, name === 'at' ? Number(value) + seconds * 1000 : value];
    return async <Row>(statement: Sql) =>
      (await run<object>(statement)).map((row) => Object.fromEntries(Object.entries(row).map(later)) as Row);
  };
  await t.notThrowsAsync(proveDatabase(offBy(20)));
  await t.throwsAsync(proveDatabase(offBy(60)), { instanceOf: UnfitDatabase, message: /differ by 60 seconds/ });
  await t.throwsAsync(proveDatabase(offBy(-60)), {
    instanceOf: UnfitDatabase,
    message: /differ by (59|60|61) seconds/,
  });
});

test.serial(
  'no process starts on a schema that lacks a migration of its release, but with a newer one it does',
  async (t) => {
    const last = '0024-integrations';
    await owner.query("insert into migrations (name) values ('9999-of-a-newer-release')");
    await t.notThrowsAsync(proveDatabase(runOn(owner)));
    await owner.query('delete from migrations where name = $1', [last]);
    try {
      await t.throwsAsync(proveDatabase(runOn(owner)), {
        instanceOf: UnfitDatabase,
        message: 'The schema lacks 1 migration of this release: run `npm run cli -- migrate`.',
      });
    } finally {
      await owner.query('insert into migrations (name) values ($1)', [last]);
    }
  },
);

test.serial('a role without privileges on the schema is reported by migrate, a command and each process', async (t) => {
  await superuser.query("create role guest login password 'guest'");
  await superuser.query('create database elsewhere');
  const url = new URL(ownerUrl);
  [url.username, url.password] = ['guest', 'guest'];
  const elsewhere = new URL('/elsewhere', url);
  const denied = 'PostgreSQL denies a privilege to the role of DATABASE_URL: permission denied for schema public';
  const notOwner = /^The role "guest" does not own the tables \w+, \w+, \w+ and \d+ more/;
  for (const [entry, words, database, reason] of [
    ['src/cli/main.ts', ['migrate'], elsewhere, denied],
    ['src/cli/main.ts', ['tenants', 'list'], url, notOwner],
    ['src/server.ts', [], url, notOwner],
    ['workers/relay.ts', [], url, notOwner],
  ] as const) {
    const { code, err } = await runEntry(entry, words, testEnvironment({ DATABASE_URL: database.href }));
    t.is(code, 1);
    const [said, advice] = err.split('. ');
    t.is(said?.match(reason)?.[0], said);
    t.is(advice, 'Make the role of DATABASE_URL the owner of the database and its tables.\n');
  }
});

test.serial('a process that gets no free connection at its start reports the message of the server', async (t) => {
  const held = await owner.connect();
  const { rows } = await held.query<{ user: string }>('select current_user as user');
  const limitTo = (count: number) =>
    superuser.query(`alter role ${pg.escapeIdentifier(rows[0]?.user ?? '')} connection limit ${count}`);
  try {
    for (const limit of [1, 2]) {
      await limitTo(limit);
      const { code, err } = await runEntry('src/server.ts', [], testEnvironment({ DATABASE_URL: ownerUrl }));
      t.is(code, 1);
      t.regex(err, /DATABASE_URL failed: too many connections for role ".+"\. Raise the limit .*\n$/);
      t.is(err.split('\n').length, 2, err);
    }
  } finally {
    await limitTo(-1);
    held.release();
  }
});

test.serial('answers says whether requests get a connection, although another one is open', async (t) => {
  const services = await createServices(readConfig(testEnvironment({ DATABASE_URL: ownerUrl })), 'test', {
    log: silentLog,
  });
  const { username, password } = new URL(ownerUrl);
  const role = pg.escapeIdentifier(decodeURIComponent(username));
  const setPassword = (text: string) => superuser.query(`alter role ${role} password ${pg.escapeLiteral(text)}`);
  t.teardown(async () => {
    await setPassword(decodeURIComponent(password));
    await services.close();
  });
  const { database } = services.context();
  await services.executeApart(sql`select 1`);
  await setPassword('another');
  t.false(await database.answers());
  await setPassword(decodeURIComponent(password));
  t.true(await database.answers());
  await setPassword('another');
  t.true(await database.answers(), 'an open connection serves on');
});
