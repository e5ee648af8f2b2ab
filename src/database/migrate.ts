import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM, type SqlEntityManager, SqlSchemaGenerator } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import pg from 'pg';

import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';
import { explainConnection } from './explain-connection.ts';
import { FailedMigration, isLockTimeout, rejectionIn } from './failed-migration.ts';
import { migrationsFolder, missingMigrations } from './missing-migrations.ts';
import { parsePostgresUrl } from './postgres-url.ts';
import { encodingFailure, proveSessions, readRole, rejectUnfit, roleFailure, throwUnfit } from './prove-database.ts';
import { schemaFailure } from './schema-failure.ts';
import { configureSession } from './session-settings.ts';

/** The number of the advisory lock of migrations: any constant that nothing else uses. */
const migrationLock = 7_203_114_001;

/**
 * How long a migration waits for the lock of a table, and how often it tries. Statements that come after it wait as
 * well, so it is short, with as long a pause in which they run. After the last attempt the release fails rather than
 * blocking the service.
 */
const lockSettings = { lockTimeoutMs: seconds(1), lockAttempts: 5 };

/** A migration takes as long as it takes, and waits for another release however long that is. */
const unlimited = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 };

/**
 * Bring the schema up to date. Several releases may call this at once: one migrates, the others wait for it and find
 * nothing left to do. Returns the names of the migrations that were applied: all of them, or with an error none.
 *
 * @param report is called with a sentence as each step begins
 * @throws UnfitDatabase when the database cannot be used, before anything is created in it
 * @throws FailedMigration when PostgreSQL rejects a migration, or a table stays locked
 */
export async function migrate(
  databaseUrl: string,
  report: (message: string) => void = () => undefined,
  options: typeof lockSettings = lockSettings,
): Promise<string[]> {
  return withClient(databaseUrl, async (lock) => {
    await configureSession(unlimited)(lock);
    const execute = executeOn(lock);
    // Before there are tables, the database can still be created again.
    const [server] = await execute<{ encoding: string }>(sql`select current_setting('server_encoding') as encoding`);
    rejectUnfit(encodingFailure(server?.encoding ?? ''));
    // It would own the tables that it creates, and the role that processes need then could not use them.
    rejectUnfit(roleFailure(await readRole(execute)));
    rejectUnfit(await schemaFailure(execute));
    // The migrator does not see the table of migrations of another role, and would fail to create it.
    await missingMigrations(execute).catch(throwUnfit);
    // A lock of a shared session would outlast the connection that took it, and stop each further release.
    await withClient(databaseUrl, (other) => proveSessions(execute, executeOn(other)));
    await takeLock(lock, report);
    return withMigrator(databaseUrl, options, (migrator) => apply(migrator, report, options));
  });
}

async function apply(
  migrator: Migrator,
  report: (message: string) => void,
  { lockTimeoutMs, lockAttempts }: typeof lockSettings,
): Promise<string[]> {
  let current = '';
  migrator.on('migrating', ({ name }) => {
    current = name;
    report(`Applying ${name}.`);
  });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await migrator.up()).map(({ name }) => name);
    } catch (error) {
      const rejection = rejectionIn(error);
      if (!rejection || explainConnection(error)) throw error;
      if (!isLockTimeout(rejection) || attempt === lockAttempts) throw new FailedMigration(current, rejection);
      report('A table is in use; trying again.');
      await pause(lockTimeoutMs);
    }
  }
}

/** The migrations that were not applied yet. */
export function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withClient(databaseUrl, async (client) => {
    const execute = executeOn(client);
    rejectUnfit(await schemaFailure(execute));
    return missingMigrations(execute);
  });
}

/** A connection that the server rejects, or that the client cannot log in by, is closed, too. */
async function withClient<Result>(databaseUrl: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(parsePostgresUrl(databaseUrl));
  client.on('error', ignore);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

const executeOn =
  (client: pg.Client): Execute =>
  async ({ text, values }) =>
    (await client.query(text, [...values])).rows;

/** PostgreSQL releases the lock when the connection ends, even if the process is killed. */
async function takeLock(client: pg.Client, report: (message: string) => void): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [migrationLock]);
  if (rows[0]?.taken) return;
  report('Another release is migrating; waiting for it.');
  await client.query('select pg_advisory_lock($1)', [migrationLock]);
}

async function withMigrator<Result>(
  databaseUrl: string,
  options: { lockTimeoutMs: number },
  work: (migrator: Migrator) => Promise<Result>,
): Promise<Result> {
  const pool = new pg.Pool({
    ...parsePostgresUrl(databaseUrl),
    max: 2,
    onConnect: configureSession({ ...unlimited, lock_timeout: options.lockTimeoutMs }),
  });
  const lost = Promise.withResolvers<void>();
  pool.on('connect', (client) => client.on('error', () => lost.resolve()));
  pool.on('error', ignore);
  try {
    const orm = await MikroORM.init(
      defineConfig({
        entities: [],
        discovery: { warnWhenNoEntities: false },
        logger: () => undefined,
        // MikroORM requires a name, although the pool alone decides where it connects.
        dbName: 'unused',
        schema: await currentSchema(pool),
        driverOptions: new PostgresDialect({ pool }),
        extensions: [ConnectedSchemaGenerator, Migrator],
        migrations: {
          path: fileURLToPath(migrationsFolder),
          snapshot: false,
          tableName: 'migrations',
        },
      }),
    );
    return await work(orm.migrator as Migrator);
  } finally {
    // The pool waits for every connection to be released, which a transaction that lost its own never does; and to end
    // it twice, as closing the ORM could, throws that in place of the cause.
    if (!pool.ending) await Promise.race([pool.end(), lost.promise]);
  }
}

/** The schema in which the migrator looks for its table. It would create a schema that does not exist. */
async function currentSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>('select current_schema() as schema');
  return rows[0]?.schema ?? 'public';
}

/** MikroORM would look for the database by its unescaped name and create it; the pool is already connected to it. */
class ConnectedSchemaGenerator extends SqlSchemaGenerator {
  static override register(orm: Parameters<typeof SqlSchemaGenerator.register>[0]): void {
    orm.config.registerExtension(
      '@mikro-orm/schema-generator',
      () => new ConnectedSchemaGenerator(orm.em as SqlEntityManager),
    );
  }

  override async ensureDatabase(): Promise<boolean> {
    return false;
  }
}

/**
 * A connection that is lost fails the statement on it; without a listener it would end the process before that is
 * shown.
 */
const ignore = (): void => undefined;
