import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { readConfig } from '#src/config.ts';
import { pendingMigrations } from '#src/database/migrate.ts';
import { Environment } from '#src/environment.ts';
import { type TSchema, Type } from '#src/lib/schema.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { createEmptyDatabase } from '#test/support/database.ts';
import { codeBlock } from '#test/support/documents.ts';
import { quickStart } from '#test/support/environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const procfile = readFileSync(`${root}/Procfile`, 'utf8');
const phase = /^release: (.+)$/m.exec(procfile)?.[1] ?? '';

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

/* The manifest of Heroku's button and of its review apps. */
const manifest = JSON.parse(readFileSync(`${root}/app.json`, 'utf8'));
const closed = { additionalProperties: false };
const byName = (value: TSchema) => Type.Record(Type.String(), value);

/** What Heroku's "app.json Schema" allows, of which this is the part without images, logos and links. */
const parts = {
  addons: Type.Optional(
    Type.Array(
      Type.Object({ plan: Type.String({ pattern: '^[a-z-]+:[a-z0-9-]+$' }), as: Type.Optional(Type.String()) }, closed),
    ),
  ),
  buildpacks: Type.Optional(Type.Array(Type.Object({ url: Type.String() }, closed))),
  env: Type.Optional(
    byName(
      Type.Object(
        {
          description: Type.Optional(Type.String()),
          value: Type.Optional(Type.String()),
          generator: Type.Optional(Type.Literal('secret')),
          required: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
  ),
  formation: Type.Optional(
    byName(Type.Object({ quantity: Type.Integer({ minimum: 0 }), size: Type.Optional(Type.String()) }, closed)),
  ),
  scripts: Type.Optional(byName(Type.String())),
};

const Manifest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 30 }),
    description: Type.String(),
    keywords: Type.Array(Type.String()),
    stack: Type.Enum(['heroku-22', 'heroku-24', 'container']),
    ...parts,
    environments: Type.Object({ review: Type.Object(parts, closed) }, closed),
  },
  closed,
);

test('app.json has the fields that Heroku knows, of their types', (t) => {
  t.deepEqual(issuesOf(Manifest, manifest), []);
});

test('app.json starts processes of the Procfile', (t) => {
  for (const { formation } of [manifest, ...Object.values<any>(manifest.environments)])
    for (const name of Object.keys(formation)) t.regex(procfile, new RegExp(`^${name}: `, 'm'));
});

for (const [what, overrides, answers] of [
  ['an application', {}, { PUBLIC_URL: 'https://api.cedar.example' }],
  [
    'a review app',
    manifest.environments.review.env,
    { HEROKU_APP_DEFAULT_DOMAIN_NAME: 'shop-pr-7-0a1b.herokuapp.com' },
  ],
] as const) {
  test(`${what} starts with what app.json sets and generates, the add-ons, and what the user enters`, (t) => {
    const variables = Object.entries<any>({ ...manifest.env, ...overrides });
    const given = variables.flatMap(([name, { value, generator }]) => {
      if (value) return [[name, value]];
      return generator ? [[name, randomBytes(32).toString('hex')]] : [];
    });
    const entered = { SMTP_URL: 'smtps://user:password@smtp.example:465', MAIL_FROM: 'Cedar <hello@cedar.example>' };
    const addOns = { DATABASE_URL: 'postgres://u:p@db.example/shop', REDIS_URL: 'rediss://:p@redis.example:6379' };
    const unknown = variables.map(([name]) => name).filter((name) => !(name in Environment.properties));
    t.deepEqual(unknown, ['PGSSLMODE']);

    const { settings } = readConfig({ ...Object.fromEntries(given), ...entered, ...addOns, ...answers, DYNO: 'web.1' });
    t.regex(settings.publicUrl, /^https:\/\/(api\.cedar\.example|shop-pr-7-0a1b\.herokuapp\.com)$/);
    t.is(settings.keyPepper.length, 32);
  });
}
