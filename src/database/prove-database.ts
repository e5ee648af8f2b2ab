import { measureDatabaseTime } from '#src/database/database-clock.ts';
import {
  type ConnectionFailure,
  explainConnection,
  ownerAdvice,
  sharedSession,
} from '#src/database/explain-connection.ts';
import { missingMigrations } from '#src/database/missing-migrations.ts';
import { schemaFailure } from '#src/database/schema-failure.ts';
import { shareSession } from '#src/database/shared-session.ts';
import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';

/** The service must not run on this database. The message says what to do. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** No process believes its machine's clock, but one this wrong is a machine to be put right. */
export const clockSkewMaxSeconds = 30;

/** The tables without row-level security. Each is named in one folder only, which an architecture test holds. */
const platformTables = ['tenants', 'removed_stores', 'api_keys', 'outbox', 'migrations', 'search_documents'];

/** What a database is to this service. */
export interface InspectedDatabase {
  readonly role: string;
  /** Whether it only repeats what another server does, and accepts no changes. */
  readonly isStandby: boolean;
  /** Whether it accepts no changes, as a standby or because it is configured so. */
  readonly isReadOnly: boolean;
  /** Whether the role is above row-level security. */
  readonly isUnbound: boolean;
  /** How far its clock is from this machine's. */
  readonly skewSeconds: number;
  /** The tables on which row-level security is missing, or not forced on their owner. */
  readonly openTables: readonly string[];
  /** The tables that neither the role owns nor one that it is a member of. */
  readonly unownedTables: readonly string[];
  /** Such as 150004. */
  readonly versionNumber: number;
  /** Such as UTF8. */
  readonly encoding: string;
}

export async function inspectDatabase(execute: Execute): Promise<InspectedDatabase> {
  const role = await readRole(execute);
  const [server] = await execute<{
    standby: boolean;
    readonly: boolean;
    version: number;
    encoding: string;
  }>(sql`
    select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as readonly,
      current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`);
  const tables = await execute<{ name: string; open: boolean; owned: boolean }>(sql`
    select c.relname as name, pg_has_role(c.relowner, 'usage') as owned,
      not (c.relrowsecurity and c.relforcerowsecurity) and not (c.relname = any(${platformTables})) as open
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(current_schemas(false)) and n.nspname <> 'pg_catalog' and c.relkind in ('r', 'p')
      and not c.relispartition
    order by 1`);
  return {
    role: role.name,
    isStandby: server?.standby ?? false,
    isReadOnly: server?.readonly ?? false,
    isUnbound: role.isUnbound,
    skewSeconds: Math.abs((await measureDatabaseTime(execute)).now().getTime() - Date.now()) / 1000,
    openTables: tables.filter(({ open }) => open).map(({ name }) => name),
    unownedTables: tables.filter(({ owned }) => !owned).map(({ name }) => name),
    versionNumber: server?.version ?? 0,
    encoding: server?.encoding ?? '',
  };
}

/** What is wrong with a server that accepts no changes. */
export const standby: ConnectionFailure = {
  reason: 'DATABASE_URL names a read replica, which accepts no changes.',
  advice: 'Name the primary, or promote the replica.',
};

/** What is wrong with a primary that accepts no changes. Processes start on it: they serve reads until it does. */
export const readOnly: ConnectionFailure = {
  reason: 'The database accepts no changes: default_transaction_read_only is on for it, its role or its server.',
  advice: 'Some providers set it when the disk is full. Then: alter database … reset default_transaction_read_only;',
};

/** What is wrong with a database that cannot store every name of a shopper; `undefined` if it can. */
export function encodingFailure(encoding: string): ConnectionFailure | undefined {
  if (encoding === 'UTF8') return undefined;
  return {
    reason: `The encoding of the database is ${encoding}, in which not every name can be stored.`,
    advice: "Create it with: create database … encoding 'UTF8' template template0;",
  };
}

/** Which role PostgreSQL runs statements as, and whether it sees every store's rows. */
export async function readRole(execute: Execute): Promise<{ name: string; isUnbound: boolean }> {
  const [role] = await execute<{ name: string; isUnbound: boolean }>(sql`
    select rolname as name, rolsuper or rolbypassrls as "isUnbound" from pg_roles where rolname = current_user`);
  return role ?? { name: '', isUnbound: true };
}

/** What is wrong with a role that sees every store's rows; `undefined` if it does not. */
export function roleFailure({ name, isUnbound }: { name: string; isUnbound: boolean }): ConnectionFailure | undefined {
  if (!isUnbound) return undefined;
  return {
    reason: `The role "${name}" bypasses row-level security, so stores would not be isolated.`,
    advice:
      'Create one that does not:\n' +
      `  create role storefront login password '…' nosuperuser nobypassrls;\n` +
      `  alter database … owner to storefront;`,
  };
}

/**
 * What is wrong with a role that does not own the tables; `undefined` if it does. Privileges are not enough: only an
 * owner attaches and drops partitions, and on the tables of the next migration there would be none.
 */
export function ownerFailure({ role, unownedTables }: InspectedDatabase): ConnectionFailure | undefined {
  if (unownedTables.length === 0) return undefined;
  const named = unownedTables.slice(0, 3).join(', ');
  const more = unownedTables.length > 3 ? ` and ${unownedTables.length - 3} more` : '';
  return { reason: `The role "${role}" does not own the tables ${named}${more}.`, advice: ownerAdvice };
}

/**
 * Reject a database in which one tenant could see another's rows, that lacks a migration of this release, or whose
 * clock cannot be trusted.
 * @param executeApart on another connection than `execute`: the two must not share a session
 * @throws UnfitDatabase when it does not connect, its encoding is not UTF8, the role bypasses row-level security or
 *   does not own the tables, a migration is missing, a table lacks row-level security, the clocks differ, or a session
 *   is shared
 */
export async function proveDatabase(execute: Execute, executeApart?: Execute): Promise<void> {
  if (executeApart) await proveSessions(execute, executeApart).catch(throwUnfit);
  const database = await inspectDatabase(execute).catch(throwUnfit);
  const { role, isStandby, isUnbound, skewSeconds, openTables, encoding } = database;
  rejectUnfit(isStandby ? standby : (encodingFailure(encoding) ?? roleFailure({ name: role, isUnbound })));
  if (skewSeconds > clockSkewMaxSeconds) {
    throw new UnfitDatabase(
      `The clocks of this machine and of PostgreSQL differ by ${Math.round(skewSeconds)} seconds: ` +
        'synchronize both with NTP.',
    );
  }
  if (openTables.length > 0) throw new UnfitDatabase(`Row-level security is not forced on: ${openTables.join(', ')}.`);
  rejectUnfit(ownerFailure(database));
  const { length: missing } = await missingMigrations(execute).catch(throwUnfit);
  if (missing === 0) return;
  rejectUnfit(await schemaFailure(execute));
  const migrations = missing === 1 ? '1 migration' : `${missing} migrations`;
  throw new UnfitDatabase(`The schema lacks ${migrations} of this release: run \`npm run cli -- migrate\`.`);
}

/** @throws UnfitDatabase when a pooler runs what both connections send in the same session */
export async function proveSessions(execute: Execute, executeApart: Execute): Promise<void> {
  if (await shareSession(execute, executeApart)) rejectUnfit(sharedSession);
}

/** @throws UnfitDatabase with what is wrong and what to do, if anything is wrong */
export function rejectUnfit(failure: ConnectionFailure | undefined): void {
  if (failure) throw new UnfitDatabase(`${failure.reason} ${failure.advice}`);
}

/** @throws UnfitDatabase for an error of the connection or its role, and any other error as it is */
export function throwUnfit(error: unknown): never {
  const failure = explainConnection(error);
  rejectUnfit(failure);
  throw error;
}
