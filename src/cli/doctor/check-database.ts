import { pendingMigrations } from '#src/database/migrate.ts';
import { clockSkewMaxSeconds, type InspectedDatabase, inspectDatabase } from '#src/database/prove-database.ts';
import { isDatabaseAway } from '#src/database/transact.ts';
import type { Services } from '#src/services.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const oldestVersion = 15;

/** The database: whether it is there, whose it is, and whether its schema is this release's. */
export async function checkDatabase({ execute, config }: Services): Promise<Finding[]> {
  let database: InspectedDatabase;
  try {
    database = await inspectDatabase(execute);
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    const advice = 'See whether the server of DATABASE_URL runs and lets this machine in.';
    return [fault('database', 'PostgreSQL is away.', advice)];
  }
  return [
    checkServerVersion(database),
    checkRole(database),
    checkClock(database),
    await checkSchema(config.databaseUrl),
    ...(database.openTables.length > 0 ? [checkTables(database.openTables)] : []),
  ];
}

function checkServerVersion({ versionNumber }: InspectedDatabase): Finding {
  const version = Math.floor(versionNumber / 10_000);
  if (version >= oldestVersion) return ok('database', `PostgreSQL ${version} answers.`);
  return fault('database', `PostgreSQL ${version} is too old.`, `Upgrade it to ${oldestVersion} or newer.`);
}

function checkRole({ role, isUnbound }: InspectedDatabase): Finding {
  if (!isUnbound) return ok('database role', `"${role}" is held to row-level security.`);
  return fault(
    'database role',
    `"${role}" is above row-level security: nothing keeps the stores apart, and no process starts.`,
    "create role storefront login password '…' nosuperuser nobypassrls; alter database … owner to storefront;",
  );
}

/** Every process sets its clock by PostgreSQL's, so less than some seconds is nothing. */
const agreedSeconds = 3;

function checkClock({ skewSeconds }: InspectedDatabase): Finding {
  if (skewSeconds < agreedSeconds) return ok('database clock', 'This machine and PostgreSQL agree on the time.');
  const apart = `This machine and PostgreSQL are ${Math.round(skewSeconds)} seconds apart.`;
  const advice = 'Set both clocks by NTP.';
  const find = skewSeconds > clockSkewMaxSeconds ? fault : warning;
  return find('database clock', apart, advice);
}

async function checkSchema(databaseUrl: string): Promise<Finding> {
  const pending = await pendingMigrations(databaseUrl);
  if (pending.length === 0) return ok('schema', 'Every migration is applied.');
  return fault('schema', `To be applied: ${pending.join(', ')}.`, 'npm run cli -- migrate');
}

function checkTables(tables: readonly string[]): Finding {
  return fault(
    'row-level security',
    `It is not forced on ${tables.join(', ')}: one store could see another's rows.`,
    "Remove the tables if they are not this service's; otherwise alter table … force row level security.",
  );
}
