import { sql } from '#src/lib/sql.ts';
import type { Run } from '#src/outbox/runs.ts';

/** The database is not one that this service may run on: the message says what to do about it. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

const clockSkewMaxSeconds = 30;

/** The tables without row-level security. Each is named in one folder only, which an architecture test holds. */
const platformTables = ['tenants', 'api_keys', 'outbox', 'migrations', 'search_documents'];

/**
 * Refuse to run where one tenant could see another's rows, or where time cannot be trusted.
 * @throws UnfitDatabase when the role is above row-level security, a table has none, or the clocks differ
 */
export async function proveDatabase(run: Run): Promise<void> {
  const [role] = await run<{ name: string; unbound: boolean; skew: number }>(sql`
    select rolname as name, rolsuper or rolbypassrls as unbound,
      abs(extract(epoch from clock_timestamp()) - ${Date.now() / 1000}::float8)::float8 as skew
    from pg_roles where rolname = current_user`);
  if (!role || role.unbound) {
    throw new UnfitDatabase(
      `The role "${role?.name}" is above row-level security, so nothing would keep the stores apart. Create one that is not:\n` +
        `  create role storefront login password '…' nosuperuser nobypassrls;\n` +
        `  alter database … owner to storefront;`,
    );
  }
  if (role.skew > clockSkewMaxSeconds) {
    throw new UnfitDatabase(`The clocks of this machine and of PostgreSQL differ by ${Math.round(role.skew)} seconds.`);
  }
  const open = await run<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and not (c.relrowsecurity and c.relforcerowsecurity) and not (c.relname = any(${platformTables}))`);
  if (open.length > 0) {
    throw new UnfitDatabase(`Row-level security is not forced on: ${open.map(({ name }) => name).join(', ')}.`);
  }
}
