import type { Database } from '#src/database/connections.ts';
import { asPlatform } from '#src/database/transact.ts';
import { addDays, type Day, dayOf, eachDay, weekOf } from '#src/lib/calendar.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { lateDaysMax } from './correct-clock.ts';

interface PartitionedTable {
  readonly name: string;
  /** How many days one partition holds. */
  readonly days: number;
  /** The first day of the partition that holds this day. */
  firstDay(day: Day): Day;
  /** How many days before its arrival a row may belong to. */
  readonly lateDays: number;
}

const sameDay = (day: Day): Day => day;

/** The tables that are partitioned by time, because dropping an old partition is cheap. */
export const partitionedTables = {
  events: { name: 'analytics_events', days: 1, firstDay: sameDay, lateDays: 0 },
  ids: { name: 'analytics_event_ids', days: 7, firstDay: weekOf, lateDays: 7 },
  sessions: { name: 'analytics_sessions', days: 1, firstDay: sameDay, lateDays: lateDaysMax },
} as const satisfies Record<string, PartitionedTable>;

/** The partitions that this process knows to exist, by database. */
const known = new WeakMap<Database, Set<string>>();
const knownMax = 500;

const daysAhead = 7;

/**
 * Create the partitions of the next days, also those that this process knows: another one may have dropped them, such as
 * while PostgreSQL's clock was months ahead.
 */
export async function createPartitions(ctx: PlatformContext): Promise<void> {
  known.delete(ctx.database);
  const today = dayOf(ctx.clock.now());
  await ensurePartitions(ctx, today, addDays(today, daysAhead));
}

/**
 * Create the missing partitions for rows received from one day to another, both included. Usually the scheduled job has
 * created them already.
 */
export async function ensurePartitions(ctx: PlatformContext, first: Day, last: Day): Promise<void> {
  const there = known.get(ctx.database) ?? new Set();
  const missing = partitionsFor(first, last).filter(({ name }) => !there.has(name));
  if (missing.length === 0) return;
  await asPlatform(ctx, 'partitions are shared by all stores', (ctx) => createMissing(ctx, missing));
  if (there.size > knownMax) there.clear();
  known.set(ctx.database, new Set([...there, ...missing.map(({ name }) => name)]));
}

interface Partition {
  readonly table: string;
  readonly name: string;
  readonly from: Day;
  readonly to: Day;
}

function partitionsFor(first: Day, last: Day): Partition[] {
  return Object.values(partitionedTables).flatMap(({ name: table, days, firstDay, lateDays }) => {
    const begins = new Set(eachDay(addDays(first, -lateDays), last).map(firstDay));
    return [...begins].map((from) => ({ table, name: partitionName(table, from), from, to: addDays(from, days) }));
  });
}

/**
 * Dropping a partition waits for all transactions that use the table, and all later ones wait behind it. A short lock
 * timeout keeps that brief; the jobs that need the change are run again.
 */
async function waitBriefly(ctx: InTransaction<PlatformContext>): Promise<void> {
  await ctx.tx.execute(sql`set local lock_timeout = '2s'`);
}

/**
 * The advisory lock makes concurrent calls create each partition once. A table that is attached blocks nobody who reads
 * or writes the partitioned one. `create table … partition of` would lock out all of them, and deadlock with those who
 * have begun to write another of the tables.
 */
async function createMissing(ctx: InTransaction<PlatformContext>, wanted: readonly Partition[]): Promise<void> {
  await waitBriefly(ctx);
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtext('analytics partitions'))`);
  const found = await ctx.tx.execute<{ name: string }>(sql`
    select relname as name from pg_class where relname = any(${wanted.map(({ name }) => name)}) and relispartition`);
  const there = new Set(found.map(({ name }) => name));
  for (const { table, name, from, to } of wanted.filter(({ name }) => !there.has(name))) {
    await ctx.tx.execute(rawSql(`create table ${name} (like ${table} including all)`));
    await ctx.tx.execute(
      rawSql(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`),
    );
  }
}

const partitionName = (table: string, from: Day) => `${table}_${from.replaceAll('-', '')}`;

/**
 * Drop the partitions of a table that only hold rows before this day.
 * @returns how many were dropped
 */
export async function dropPartitions(
  ctx: PlatformContext,
  { name: table, days }: PartitionedTable,
  before: Day,
): Promise<number> {
  return asPlatform(ctx, 'partitions are shared by all stores', async (ctx) => {
    await waitBriefly(ctx);
    const partitions = await ctx.tx.execute<{ name: string }>(sql`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass`);
    const old = partitions.filter(({ name }) => {
      const written = /_(\d{4})(\d{2})(\d{2})$/.exec(name);
      return written !== null && addDays(written.slice(1).join('-'), days) <= before;
    });
    for (const { name } of old) await ctx.tx.execute(rawSql(`drop table ${name}`));
    return old.length;
  });
}
