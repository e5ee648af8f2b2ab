import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';

/** A pooler that is in use may run two transactions in different sessions by chance. */
const rounds = 5;

/**
 * Whether a pooler runs what two open connections send in the same session of PostgreSQL, as PgBouncer does in
 * transaction mode.
 */
export async function shareSession(one: Execute, other: Execute): Promise<boolean> {
  const sessionOf = async (execute: Execute) => {
    const [session] = await execute<{ id: number }>(sql`select pg_backend_pid() as id`);
    return session?.id;
  };
  for (let round = 0; round < rounds; round += 1) {
    if ((await sessionOf(one)) === (await sessionOf(other))) return true;
  }
  return false;
}
