import { measureDatabaseTime } from '#src/database/database-clock.ts';
import { isDatabaseAway } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';

/** The service must not run on this database. The message says what to do. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** No process believes its machine's clock, but one this wrong is a machine to be put right. */
export const clockSkewMaxSeconds = 30;

/** The tables without row-level security. Each is named in one folder only, which an architecture test holds. */
const platformTables = ['tenants', 'api_keys', 'outbox', 'migrations', 'search_documents'];

/** What a database is to this service. */
export interface InspectedDatabase {
  readonly role: string;
  /** Whether the role is above row-level security. */
  readonly isUnbound: boolean;
  /** How far its clock is from this machine's. */
  readonly skewSeconds: number;
  /** The tables on which row-level security is missing, or not forced on their owner. */
  readonly openTables: readonly string[];
  /** Such as 150004. */
  readonly versionNumber: number;
}

export async function inspectDatabase(execute: Execute): Promise<InspectedDatabase> {
  const [role] = await execute<{ name: string; unbound: boolean; version: number }>(sql`
    select rolname as name, rolsuper or rolbypassrls as unbound,
      current_setting('server_version_num')::int as version
    from pg_roles where rolname = current_user`);
  const open = await execute<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(current_schemas(false)) and n.nspname <> 'pg_catalog' and c.relkind in ('r', 'p') and not c.relispartition
      and not (c.relrowsecurity and c.relforcerowsecurity) and not (c.relname = any(${platformTables}))`);
  return {
    role: role?.name ?? '',
    isUnbound: role?.unbound ?? true,
    skewSeconds: Math.abs((await measureDatabaseTime(execute)).now().getTime() - Date.now()) / 1000,
    openTables: open.map(({ name }) => name),
    versionNumber: role?.version ?? 0,
  };
}

/** The first reason why a database is unfit, as a message that says what to do. */
function whyUnfit({ role, isUnbound, skewSeconds, openTables }: InspectedDatabase): string | undefined {
  if (isUnbound) {
    return (
      `The role "${role}" bypasses row-level security, so stores would not be isolated. Create one that does not:\n` +
      `  create role storefront login password '…' nosuperuser nobypassrls;\n` +
      `  alter database … owner to storefront;`
    );
  }
  if (skewSeconds > clockSkewMaxSeconds) {
    return `The clocks of this machine and of PostgreSQL differ by ${Math.round(skewSeconds)} seconds.`;
  }
  if (openTables.length > 0) return `Row-level security is not forced on: ${openTables.join(', ')}.`;
  return undefined;
}

/**
 * Reject a database in which one tenant could see another's rows, or whose clock cannot be trusted.
 * @throws UnfitDatabase when it does not connect, the role bypasses row-level security, a table lacks it, or the clocks
 *   differ
 */
export async function proveDatabase(execute: Execute): Promise<void> {
  const inspected = await inspectDatabase(execute).catch((error: unknown) => {
    const reason = whyClosed(error);
    throw reason ? new UnfitDatabase(reason) : error;
  });
  const reason = whyUnfit(inspected);
  if (reason) throw new UnfitDatabase(reason);
}

/** Why connecting to the database failed, as a message for people; undefined for other errors. */
export function whyClosed(error: unknown): string | undefined {
  if (isDatabaseAway(error)) return 'PostgreSQL does not respond: check the server in DATABASE_URL.';
  const isTurnedAway = error instanceof Error && 'code' in error && turnedAwayCodes.has(String(error.code));
  return isTurnedAway
    ? 'PostgreSQL rejects the connection: check the user, the password and the database in DATABASE_URL.'
    : undefined;
}

/** A wrong password, a user who may not, no such database. */
const turnedAwayCodes = new Set(['28P01', '28000', '3D000']);
