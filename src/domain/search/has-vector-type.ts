import type { Database } from '#src/database/connections.ts';
import { runOnPlatformTables } from '#src/database/transact.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';

const known = new WeakMap<Database, { checkedAt: number; isInstalled: Promise<boolean> }>();
const freshForMs = minutes(5);

/** Whether the pgvector extension is installed in this database. Operators may install it at any time. */
export async function hasVectorType(ctx: PlatformContext): Promise<boolean> {
  const now = ctx.clock.now().getTime();
  let check = known.get(ctx.database);
  if (!check || now - check.checkedAt >= freshForMs) {
    check = { checkedAt: now, isInstalled: detectVectorType(ctx) };
    known.set(ctx.database, check);
    check.isInstalled.catch(() => known.delete(ctx.database));
  }
  return check.isInstalled;
}

async function detectVectorType(ctx: PlatformContext): Promise<boolean> {
  const found = await runOnPlatformTables(ctx, sql`select 1 from pg_extension where extname = 'vector'`);
  return found.length > 0;
}
