import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import test from 'ava';
import pg from 'pg';

import { onFreePort } from '#src/dev/embedded/free-port.ts';
import { type Embedded, startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { until } from '#test/support/until.ts';

test('startEmbedded creates a database with unusual names, an ordinary owner and the needed extensions', async (t) => {
  const embedded = await startEmbedded();
  t.teardown(embedded.stop);

  await withClient(embedded.databaseUrl, async (client) => {
    const { rows: roles } = await client.query(
      `select current_database() as database, rolname as name, rolsuper as superuser, rolbypassrls as bypassrls,
        rolcreatedb as createdb
       from pg_roles where rolname = current_user`,
    );
    t.deepEqual(roles, [
      { database: 'd7 üç$f9', name: 'rôle-9 a@b', superuser: false, bypassrls: false, createdb: false },
    ]);
    for (const name of ['pg_trgm', 'unaccent', 'citext', 'btree_gin']) {
      await client.query(`create extension ${name}`);
    }
    const { rows: words } = await client.query(`select lower('ÉLAN') as lower, unaccent('élan') as plain`);
    t.deepEqual(words, [{ lower: 'élan', plain: 'elan' }]);
  });
});

test('restartPostgres keeps the data and the URL', async (t) => {
  const embedded = await startEmbedded();
  t.teardown(embedded.stop);

  await withClient(embedded.databaseUrl, (client) => client.query('create table kept as select 1 as one'));
  await embedded.restartPostgres();

  await withClient(embedded.databaseUrl, async (client) => {
    t.deepEqual((await client.query('select one from kept')).rows, [{ one: 1 }]);
  });
});

test('two startEmbedded run side by side with their own passwords, and stop removes everything', async (t) => {
  const [first, second] = await Promise.all([startEmbedded(), startEmbedded()]);

  const otherServerUrl = new URL(first.databaseUrl);
  otherServerUrl.port = new URL(second.databaseUrl).port;
  await t.throwsAsync(
    withClient(otherServerUrl.href, (client) => client.query('select 1')),
    { code: '28P01' },
  );

  await first.stop();
  t.true(await listens(second.databaseUrl));
  t.true(await listens(second.redisUrl));
  await second.stop();
  for (const embedded of [first, second]) t.true(await isGone(embedded));
});

test('startEmbedded leaves no server and no folder when its process is killed', async (t) => {
  const module = new URL('../../src/dev/embedded/start-embedded.ts', import.meta.url).href;
  const script = `
    const { startEmbedded } = await import('${module}');
    console.log(JSON.stringify(await startEmbedded()));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const embedded = JSON.parse(line.toString()) as Embedded;
  t.true(await listens(embedded.databaseUrl));
  t.true(await listens(embedded.redisUrl));

  parent.kill('SIGKILL');

  await t.notThrowsAsync(until(() => isGone(embedded)));
});

test('onFreePort tries another port when the first one is taken in the meantime', async (t) => {
  const taken: number[] = [];
  const { port } = await onFreePort(async (candidate) => {
    if (taken.push(candidate) === 1) throw new Error('could not bind: Address already in use');
    const server = createServer().listen(candidate, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });

  t.is(taken.length, 2);
  t.deepEqual(taken.slice(1), [port]);
  await t.throwsAsync(
    onFreePort(() => Promise.reject(new Error('no space left on device'))),
    { message: 'no space left on device' },
  );
});

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => {
    // A restarted server ends its connections with an error.
  });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function isGone({ databaseUrl, redisUrl, folder }: Embedded): Promise<boolean> {
  return !existsSync(folder) && !(await listens(databaseUrl)) && !(await listens(redisUrl));
}

async function listens(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
