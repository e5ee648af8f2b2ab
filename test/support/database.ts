import pg from 'pg';

import { randomText } from '#src/lib/crypto.ts';
import { givenByRunner } from './environment.ts';

export interface TestDatabase {
  /** As the role of TEST_DATABASE_URL, which owns it and can create no other. */
  readonly url: string;
  drop(): Promise<void>;
}

const templateName = 'template üç$0';

/** In Turkish an i has a dot in upper case, too, and letters are not sorted by their codes. */
const turkish = "encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' template template0";

/** The database that those of the test files are copies of; it is still to be migrated. Returns its URL. */
export async function createTemplateDatabase(): Promise<string> {
  await dropDatabase(templateName);
  return createDatabase(templateName, turkish);
}

/** A database of its own for one test file: a copy of the migrated template, in some 40 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test üç$${randomText(12)}`;
  const url = await createDatabase(name, `template ${pg.escapeIdentifier(templateName)} strategy file_copy`);
  return { url, drop: () => dropDatabase(name) };
}

/** A database with nothing in it. Its name needs quotes in SQL and an escape in a URL, as those of the others do. */
export async function createEmptyDatabase(name = `empty üç$${randomText(12)}`, options = ''): Promise<TestDatabase> {
  return { url: await createDatabase(name, options), drop: () => dropDatabase(name) };
}

/** A backup of a database that is in use: all connections to it are closed, now and when it is restored. */
export async function backUp(url: string): Promise<{ restore(): Promise<void>; drop(): Promise<void> }> {
  const name = decodeURI(new URL(url).pathname.slice(1));
  const backup = `backup of ${name}`;
  await disconnect(name);
  await createDatabase(backup, `template ${pg.escapeIdentifier(name)}`);
  return {
    async restore() {
      await disconnect(name);
      await dropDatabase(name);
      await createDatabase(name, `template ${pg.escapeIdentifier(backup)}`);
    },
    drop: () => dropDatabase(backup),
  };
}

const disconnect = (name: string) =>
  runOnServer(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${pg.escapeLiteral(name)} and backend_type = 'client backend'`);

async function createDatabase(name: string, options = ''): Promise<string> {
  const url = new URL(givenByRunner('TEST_DATABASE_URL'));
  const owner = pg.escapeIdentifier(decodeURIComponent(url.username));
  await runOnServer(`create database ${pg.escapeIdentifier(name)} owner ${owner} ${options}`);
  url.pathname = encodeURI(name);
  // The machine may be busy with other tests.
  url.searchParams.set('connect_timeout', '60');
  return url.href;
}

/** With force, the role may not end an autovacuum in it; without, PostgreSQL ends the autovacuum itself. */
async function dropDatabase(name: string): Promise<void> {
  const statement = `drop database if exists ${pg.escapeIdentifier(name)}`;
  try {
    await runOnServer(`${statement} with (force)`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '42501')) throw error;
    await runOnServer(statement);
  }
}

async function runOnServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: givenByRunner('TEST_DATABASE_ADMIN_URL') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
