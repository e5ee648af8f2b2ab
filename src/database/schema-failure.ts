import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';
import type { ConnectionFailure } from './explain-connection.ts';

/** Two tables of the first migration: no other program's schema has both. */
const firstTables = ['migrations', 'outbox'];

/**
 * What is wrong with the schema in which a migration would create tables; `undefined` if it is the right one. Where the
 * tables are in another, `migrate` would create all of them again, and every store would be gone.
 */
export async function schemaFailure(execute: Execute): Promise<ConnectionFailure | undefined> {
  const [{ chosen, existing } = { chosen: null, existing: [] }] = await execute<{
    chosen: string | null;
    existing: string[];
  }>(sql`
    select current_schema() as chosen, array(
      select n.nspname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relname = any(${firstTables}) and c.relkind = 'r'
      group by n.nspname having count(*) = ${firstTables.length}) as existing`);
  const [other] = existing;
  if (chosen !== null && (other === undefined || existing.includes(chosen))) return undefined;
  const choice =
    chosen === null ? 'The search_path names no schema that exists' : `The search_path chooses "${chosen}"`;
  if (other === undefined)
    return { reason: `${choice}.`, advice: 'Create the schema, or remove search_path from DATABASE_URL and its role.' };
  return {
    reason: `${choice}, and the tables are in "${other}".`,
    advice:
      `Let the search_path of DATABASE_URL or its role begin with "${other}". ` +
      'Another installation needs a database of its own.',
  };
}
