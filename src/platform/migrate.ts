import { fileURLToPath } from 'node:url';

import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

/** The number of the advisory lock that migrations hold: any constant that nobody else uses. */
const migrationLock = 7_203_114_001;

/**
 * Bring the schema up to date. Several releases may call this at once: one migrates, the others wait for it and find
 * nothing left to do. Returns the names of the migrations that were applied.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: databaseUrl });
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    return await applyPending(databaseUrl);
  } finally {
    await lock.end();
  }
}

/** The migrations that were not applied yet. */
export async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator) => (await migrator.getPending()).map(({ name }) => name));
}

async function applyPending(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator) => (await migrator.up()).map(({ name }) => name));
}

async function withMigrator<Result>(databaseUrl: string, work: (migrator: Migrator) => Promise<Result>): Promise<Result> {
  const orm = await MikroORM.init(
    defineConfig({
      entities: [],
      discovery: { warnWhenNoEntities: false },
      logger: () => undefined,
      clientUrl: databaseUrl,
      extensions: [Migrator],
      migrations: { path: fileURLToPath(new URL('../../migrations', import.meta.url)), snapshot: false, tableName: 'migrations' },
    }),
  );
  try {
    return await work(orm.migrator as Migrator);
  } finally {
    await orm.close(true);
  }
}
