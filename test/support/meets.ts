import type { Services } from '#src/services.ts';
import { interceptStatements } from './intercept-statements.ts';

/**
 * Do something, and return whether a statement may meet what it does: names one of its tables, or one that a foreign key
 * joins with one, or none at all, as a commit does. Whether the work comes before or after any other statement is the
 * same. A foreign key to the stores joins nothing: none of these statements changes a store's id.
 */
export async function meets(services: Services, work: () => Promise<unknown>): Promise<(text: string) => boolean> {
  const { pool } = services.context().database;
  const { rows } = await pool.query<{ name: string; joined: string[] }>(`
    select t.relname as name, array(
      select unnest(array[conrelid, confrelid])::regclass::text from pg_constraint
      where contype = 'f' and t.oid in (conrelid, confrelid) and confrelid <> 'tenants'::regclass) as joined
    from pg_class t where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v')`);
  const joinedWith = new Map(rows.map(({ name, joined }) => [name, [name, ...joined]]));
  const namedIn = (text: string) => (text.match(/\w+/g) ?? []).filter((word) => joinedWith.has(word));

  const met = new Set<string>();
  const end = interceptStatements(pool, () => ({ text, send }) => {
    for (const name of namedIn(text)) for (const joined of joinedWith.get(name) ?? []) met.add(joined);
    return send();
  });
  await work().finally(end);
  return (text) => {
    const names = namedIn(text);
    return names.length === 0 || names.some((name) => met.has(name));
  };
}
