import { fileURLToPath } from 'node:url';

import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import pg from 'pg';

import { seconds } from '#src/lib/duration.ts';

/** The number of the advisory lock that migrations hold: any constant that nobody else uses. */
const migrationLock = 7_203_114_001;

/**
 * How long a migration waits for a table that somebody uses. While it waits, everybody after it waits too: rather than
 * stop the shop, the release fails and is tried again.
 */
const lockTimeoutMs = seconds(10);

/**
 * Bring the schema up to date. Several releases may call this at once: one migrates, the others wait for it and find
 * nothing left to do. Returns the names of the migrations that were applied: all of them, or with an error none.
 *
 * @param report is called with a sentence as each step begins
 */
export async function migrate(
  databaseUrl: string,
  report: (sentence: string) => void = () => undefined,
  patience: { lockTimeoutMs: number } = { lockTimeoutMs },
): Promise<string[]> {
  const lock = new pg.Client({ connectionString: databaseUrl });
  await lock.connect();
  try {
    await takeLock(lock, report);
    return await withMigrator(databaseUrl, patience, async (migrator) => {
      migrator.on('migrating', ({ name }) => report(`Applying ${name}.`));
      return (await migrator.up()).map(({ name }) => name);
    });
  } finally {
    await lock.end();
  }
}

/** The migrations that were not applied yet. */
export async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, { lockTimeoutMs }, async (migrator) => (await migrator.getPending()).map(({ name }) => name));
}

/** PostgreSQL gives the lock back when the connection ends, however it ends. */
async function takeLock(client: pg.Client, report: (sentence: string) => void): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [migrationLock]);
  if (rows[0]?.taken) return;
  report('Another release is migrating; waiting for it.');
  await client.query('select pg_advisory_lock($1)', [migrationLock]);
}

async function withMigrator<Result>(databaseUrl: string, patience: { lockTimeoutMs: number }, work: (migrator: Migrator) => Promise<Result>): Promise<Result> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, options: `-c lock_timeout=${patience.lockTimeoutMs}` });
  const orm = await MikroORM.init(
    defineConfig({
      entities: [],
      discovery: { warnWhenNoEntities: false },
      logger: () => undefined,
      dbName: pool.options.database ?? 'storefront',
      driverOptions: new PostgresDialect({ pool }),
      extensions: [Migrator],
      migrations: { path: fileURLToPath(new URL('../../migrations', import.meta.url)), snapshot: false, tableName: 'migrations' },
    }),
  );
  try {
    return await work(orm.migrator as Migrator);
  } finally {
    await orm.close(true);
    if (!pool.ended) await pool.end();
  }
}
