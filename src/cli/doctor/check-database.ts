import { type ConnectionFailure, explainConnection, sharedSession } from '#src/database/explain-connection.ts';
import { missingMigrations } from '#src/database/missing-migrations.ts';
import {
  clockSkewMaxSeconds,
  encodingFailure,
  type InspectedDatabase,
  inspectDatabase,
  ownerFailure,
  readOnly,
  standby,
} from '#src/database/prove-database.ts';
import { schemaFailure } from '#src/database/schema-failure.ts';
import { shareSession } from '#src/database/shared-session.ts';
import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const oldestVersion = 15;

/** The database: whether it is there, whose it is, and whether its schema is this release's. */
export async function checkDatabase({ execute, executeApart }: Services): Promise<Finding[]> {
  let database: InspectedDatabase;
  let missing: readonly string[];
  let wrongSchema: ConnectionFailure | undefined;
  try {
    if (await shareSession(execute, executeApart))
      return [fault('database', sharedSession.reason, sharedSession.advice)];
    database = await inspectDatabase(execute);
    if (!database.isReadOnly) await writeSomething(execute);
    missing = await missingMigrations(execute);
    wrongSchema = await schemaFailure(execute);
  } catch (error) {
    const failure = explainConnection(error);
    if (!failure) throw error;
    return [fault('database', failure.reason, failure.advice)];
  }
  const failure = database.isStandby ? standby : encodingFailure(database.encoding);
  if (failure) return [fault('database', failure.reason, failure.advice)];
  return [
    database.isReadOnly ? fault('database', readOnly.reason, readOnly.advice) : checkServerVersion(database),
    checkRole(database),
    checkClock(database),
    checkSchema(missing, wrongSchema),
    ...(database.openTables.length > 0 ? [checkTables(database.openTables)] : []),
  ];
}

/** A megabyte, which a full disk does not take. It is dropped in the same statement. */
async function writeSomething(execute: Execute): Promise<void> {
  await execute(sql`
    create temporary table written_by_doctor on commit drop as
    select md5(number::text) from generate_series(1, 20000) as number`);
}

function checkServerVersion({ versionNumber }: InspectedDatabase): Finding {
  const version = Math.floor(versionNumber / 10_000);
  if (version >= oldestVersion) return ok('database', `PostgreSQL ${version} responds.`);
  return fault('database', `PostgreSQL ${version} is too old.`, `Upgrade it to ${oldestVersion} or newer.`);
}

function checkRole(database: InspectedDatabase): Finding {
  const { role, isUnbound } = database;
  if (isUnbound)
    return fault(
      'database role',
      `"${role}" bypasses row-level security: stores are not isolated, and no process starts.`,
      "create role storefront login password '…' nosuperuser nobypassrls; alter database … owner to storefront;",
    );
  const failure = ownerFailure(database);
  if (failure) return fault('database role', failure.reason, failure.advice);
  return ok('database role', `Row-level security applies to "${role}", which owns the tables.`);
}

/** Every process sets its clock by PostgreSQL's, so less than some seconds is nothing. */
const agreedSeconds = 3;

function checkClock({ skewSeconds }: InspectedDatabase): Finding {
  if (skewSeconds < agreedSeconds) return ok('database clock', 'The clocks of this machine and PostgreSQL agree.');
  const apart = `The clocks of this machine and PostgreSQL differ by ${Math.round(skewSeconds)} seconds.`;
  const advice = 'Synchronize both clocks with NTP.';
  const find = skewSeconds > clockSkewMaxSeconds ? fault : warning;
  return find('database clock', apart, advice);
}

function checkSchema(missing: readonly string[], wrongSchema: ConnectionFailure | undefined): Finding {
  // Where the search_path leads to the tables all the same, processes work, and the next release cannot migrate.
  if (wrongSchema) return (missing.length > 0 ? fault : warning)('schema', wrongSchema.reason, wrongSchema.advice);
  if (missing.length === 0) return ok('schema', 'All migrations are applied.');
  return fault('schema', `Pending migrations: ${missing.join(', ')}.`, 'npm run cli -- migrate');
}

function checkTables(tables: readonly string[]): Finding {
  return fault(
    'row-level security',
    `It is not forced on ${tables.join(', ')}: one store could see another's rows.`,
    "Remove the tables if they are not this service's; otherwise alter table … force row level security.",
  );
}
