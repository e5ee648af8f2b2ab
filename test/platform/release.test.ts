import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import test, { type ExecutionContext } from 'ava';
import pg from 'pg';

import { readConfig } from '#src/config.ts';
import { pendingMigrations } from '#src/database/migrate.ts';
import { createEmptyDatabase } from '#test/support/database.ts';
import { codeBlock } from '#test/support/documents.ts';
import { quickStart } from '#test/support/environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const phase = /^release: (.+)$/m.exec(readFileSync(`${root}/Procfile`, 'utf8'))?.[1] ?? '';

/** Run the Procfile's release phase as Heroku does: by a shell, before anything else is set. */
function release(databaseUrl: string): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(
      'sh',
      ['-c', phase],
      { cwd: root, env: { ...quickStart, PATH: process.env['PATH'], DATABASE_URL: databaseUrl } },
      (error, out, err) => {
        resolve({ code: error ? Number(error.code) : 0, out, err });
      },
    );
  });
}

async function emptyDatabase(t: ExecutionContext): Promise<string> {
  const { url, drop } = await createEmptyDatabase();
  t.teardown(drop);
  return url;
}

test('the release phase migrates with DATABASE_URL alone, and changes nothing when repeated', async (t) => {
  const url = await emptyDatabase(t);
  const first = await release(url);
  t.is(first.code, 0, first.err);
  t.regex(first.out, /applied {2}0001-outbox/);
  t.deepEqual(await pendingMigrations(url), []);
  t.like(await release(url), { code: 0, out: 'The schema is up to date.\n' });
});

test('a migration that fails stops the release and changes nothing', async (t) => {
  const url = await emptyDatabase(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('create table mails (id int)');
  const before = await pendingMigrations(url);

  const { code, err } = await release(url);
  t.is(code, 1);
  t.regex(err, /0010-mail/);
  t.regex(err, /already exists/);
  t.deepEqual(await pendingMigrations(url), before);
  const { rows } = await client.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' " +
      "and relname not in ('migrations')",
  );
  t.deepEqual(rows, [{ relname: 'mails' }]);
});

test('a release reports a database that does not exist, and creates none', async (t) => {
  const { url, drop } = await createEmptyDatabase();
  await drop();
  const { code, err } = await release(url);
  t.is(code, 1);
  t.regex(err, /^Connecting with DATABASE_URL failed: database ".+" does not exist\. Create .*\n$/);
});

test('a release without DATABASE_URL reports it', async (t) => {
  const { code, err } = await release('');
  t.is(code, 1);
  t.regex(err, /DATABASE_URL/);
});

test('the variables that are set on Heroku are the ones that processes require', (t) => {
  const block = codeBlock('src/cli/DEPLOYMENT.md', 'sh', 'heroku config:set');
  const printed = execFileSync('sh', ['-c', block.replace('heroku config:set', "printf '%s\\n'")], {
    encoding: 'utf8',
  });
  const set = Object.fromEntries(
    printed
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const config = readConfig({
    ...set,
    DATABASE_URL: 'postgres://u:p@db.example:5432/d',
    REDIS_URL: 'rediss://:p@redis.example:6380',
    PORT: '4000',
    DYNO: 'web.1',
  });
  t.like(config, { host: '0.0.0.0', port: 4000, trustedProxyHops: 1, ops: { user: 'ops' } });
  t.like(new pg.Client({ connectionString: config.databaseUrl }), { ssl: false });
  process.env['PGSSLMODE'] = set['PGSSLMODE'];
  t.teardown(() => delete process.env['PGSSLMODE']);
  t.like(
    new pg.Client({ connectionString: config.databaseUrl }),
    { ssl: { rejectUnauthorized: false } },
    'encrypted, by a certificate that is not checked',
  );
});
