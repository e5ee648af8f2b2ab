import test, { type ExecutionContext } from 'ava';
import pg from 'pg';

import { migrate, pendingMigrations } from '#src/platform/migrate.ts';
import { createEmptyDatabase } from '#test/support/database.ts';

async function emptyDatabase(t: ExecutionContext): Promise<string> {
  const { url, drop } = await createEmptyDatabase();
  t.teardown(drop);
  return url;
}

test('several releases at once migrate once, and all of them find it done', async (t) => {
  const url = await emptyDatabase(t);
  const pending = await pendingMigrations(url);
  t.true(pending.length > 0);

  const sentences: string[] = [];
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(url, (sentence) => sentences.push(sentence))));

  t.deepEqual(applied.filter((names) => names.length > 0), [pending], 'one of them applied everything, the others nothing');
  t.is(sentences.filter((sentence) => sentence.startsWith('Applying ')).length, pending.length);
  t.true(sentences.includes('Another release is migrating; waiting for it.'));
  t.deepEqual(await pendingMigrations(url), []);
});

test('a schema that is up to date stays as it is', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  t.deepEqual(await migrate(url), []);
});

test('migrations are numbered, and applied in that order', async (t) => {
  const pending = await pendingMigrations(await emptyDatabase(t));
  t.deepEqual(pending, pending.toSorted());
  for (const name of pending) t.regex(name, /^\d{4}-[a-z]+(-[a-z]+)*$/);
});

test('a migration does not stop the shop to wait for a table: it fails, and leaves everything as it was', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  const shop = new pg.Client({ connectionString: url });
  await shop.connect();
  t.teardown(() => shop.end());
  await shop.query("delete from migrations where name = '0083-events-of-deliveries'");
  await shop.query('begin');
  await shop.query('select 1 from webhook_deliveries');
  await t.throwsAsync(migrate(url, undefined, { lockTimeoutMs: 100 }), { message: /lock timeout/ });
  t.deepEqual(await pendingMigrations(url), ['0083-events-of-deliveries']);
});
