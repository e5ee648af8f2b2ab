import { type Sql, sql } from '#src/lib/sql.ts';

const key = sql`hashtext('analytics fold')`;

/** Held until the transaction ends by whoever folds what comes in; any number may hold it at once. */
export const aggregateShared: Sql = sql`pg_advisory_xact_lock_shared(${key})`;

/** Held by whoever must fold or reckon alone: waits for all others, and they for it. */
export const aggregateAlone: Sql = sql`pg_advisory_xact_lock(${key})`;
