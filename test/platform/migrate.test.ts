import test from 'ava';
import pg from 'pg';

import { randomText } from '#src/lib/crypto.ts';
import { migrate, pendingMigrations } from '#src/platform/migrate.ts';
import { givenByRunner } from '#test/support/environment.ts';

/** A database with nothing in it. */
async function createEmptyDatabase(t: { teardown(work: () => Promise<void>): void }): Promise<string> {
  const name = `empty_${randomText(12)}`;
  const url = new URL(givenByRunner('TEST_DATABASE_URL'));
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: givenByRunner('TEST_DATABASE_URL') });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${name}`);
  t.teardown(() => run(`drop database if exists ${name} with (force)`));
  url.pathname = name;
  return url.href;
}

test('several releases at once migrate once, and all of them find it done', async (t) => {
  const url = await createEmptyDatabase(t);
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
  const url = await createEmptyDatabase(t);
  await migrate(url);
  t.deepEqual(await migrate(url), []);
});

test('migrations are numbered, and applied in that order', async (t) => {
  const pending = await pendingMigrations(await createEmptyDatabase(t));
  t.deepEqual(pending, pending.toSorted());
  for (const name of pending) t.regex(name, /^\d{4}-[a-z]+(-[a-z]+)*$/);
});
