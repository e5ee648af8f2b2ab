import type { Database } from '#src/database/connections.ts';
import { runOnPlatformTables } from '#src/database/transact.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';

const known = new WeakMap<Database, { checkedAt: number; there: Promise<boolean> }>();
const freshForMs = minutes(5);

/** Whether pgvector is switched on in this database. Operators may do so at any time. */
export async function hasVectorType(ctx: PlatformContext): Promise<boolean> {
  const now = ctx.clock.now().getTime();
  let look = known.get(ctx.database);
  if (!look || now - look.checkedAt >= freshForMs) {
    look = { checkedAt: now, there: detectVectorType(ctx) };
    known.set(ctx.database, look);
    look.there.catch(() => known.delete(ctx.database));
  }
  return look.there;
}

async function detectVectorType(ctx: PlatformContext): Promise<boolean> {
  const found = await runOnPlatformTables(ctx, sql`select 1 from pg_extension where extname = 'vector'`);
  return found.length > 0;
}
