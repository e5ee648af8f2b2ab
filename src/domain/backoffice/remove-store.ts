import { removeStores as removeStoresJob } from '#jobs/retention.ts';
import { asPlatform, readOneOrFail, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { joinSql, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type Context, type InTransaction, inTurn, isShuttingDown, type PlatformContext } from '../context.ts';
import { leftForNextRun } from '../remove-expired.ts';
import {
  deleteRemoved,
  listRemoved,
  lockStore,
  lockToRemove,
  markRemoved,
  type RemovedStore,
  readStore,
  type Tenant,
} from '../tenants/index.ts';
import { describeOpenLabels, describeOpenPayments, type OpenBusiness, readOpenBusiness } from './open-business.ts';

/**
 * Remove a closed store: from then on no process finds it, and a job deletes every row that it has.
 * @param removedBy the person or machine that does it
 * @returns why it cannot be removed; nothing where it was
 * @throws DomainError `not_found` when it was removed meanwhile
 */
export async function removeStore(ctx: Context, removedBy: string): Promise<string[]> {
  return transact(ctx, async (ctx) => {
    await lockStore(ctx, ctx.tenant.slug);
    await lockToRemove(ctx);
    const obstacles = obstaclesOf(ctx, await readStore(ctx), await readOpenBusiness(ctx));
    if (obstacles.length > 0) return obstacles;
    if (!(await markRemoved(ctx, removedBy))) return [notClosed];
    // Its key is no period of the schedule, which continues what this job leaves.
    enqueue({ tx: ctx.tx, clock: ctx.clock }, removeStoresJob, { period: ctx.clock.now().getTime() });
    return [];
  });
}

const notClosed = 'the store is not closed';

/** So long after a store was closed, each checkout that began before is stored, and is counted. */
const checkingOutForMs = minutes(5);

/** What has to end before a store can be removed, because its outcome would be lost. Each says what to do. */
export function obstaclesOf({ clock }: Pick<Context, 'clock'>, { closedAt }: Tenant, open: OpenBusiness): string[] {
  const countedAt = closedAt && new Date(closedAt.getTime() + checkingOutForMs);
  return [
    ...(countedAt ? [] : [notClosed]),
    ...(countedAt && countedAt > clock.now()
      ? [`shoppers who were checking out when it was closed (wait until ${countedAt.toISOString()})`]
      : []),
    ...describeOpenPayments(open),
    ...describeOpenLabels(open),
  ];
}

/** What others store for a store, and keep when it is removed. */
export interface StoredElsewhere {
  /** Customers at the payment provider. */
  readonly paymentCustomers: number;
  /** The ids of webhook endpoints at the payment provider. */
  readonly paymentEndpoints: readonly string[];
  /** Labels at the shipping provider, with the addresses of shoppers. */
  readonly labels: number;
}

export async function readStoredElsewhere(ctx: Context): Promise<StoredElsewhere> {
  const ofStore = sql`tenant_id = ${ctx.tenant.id}`;
  return readOneOrFail<StoredElsewhere>(
    ctx,
    sql`
    select (select count(*)::int from customer_payment_ids where ${ofStore}) as "paymentCustomers",
      array(select distinct provider_endpoint_id from payment_webhook_secrets
        where ${ofStore} and provider_endpoint_id is not null) as "paymentEndpoints",
      (select count(*)::int from labels where ${ofStore} and purchase_id is not null) as labels`,
  );
}

/** How many rows are counted of each table. */
export const countedRowsMax = 100_000;

/** Count the rows that a store has, by table; of each table no more than `countedRowsMax`. */
export async function countStoreRows(ctx: Context): Promise<{ table: string; rows: number }[]> {
  return transact(ctx, async (ctx) => {
    const tables = await readTables(ctx, sql`not c.relispartition`);
    const counts = tables.map(
      ({ name }) => sql`
        select ${name} as "table", count(*)::int as rows from (
          select from ${rawSql(name)} where tenant_id = ${ctx.tenant.id} limit ${countedRowsMax}) counted`,
    );
    const found = await ctx.tx.execute<{ table: string; rows: number }>(joinSql(counts, ' union all '));
    return found.filter(({ rows }) => rows > 0);
  });
}

/** A batch is one transaction, so that no other transaction waits long for its locks. */
const defaultBounds = { batchSize: 2000, batchesMax: 100 };

/** So long after a store was removed no request and no attempt of a job is left that began before. */
const writtenForMs = hours(1);

/**
 * Delete every row of the stores that were removed, children before their parents, in each table that has a
 * `tenant_id`. The store's own row goes last: an hour after the store was removed, when there is nothing else left.
 * What is written later, such as by a process that was suspended meanwhile, is deleted by the next run.
 *
 * @throws Snooze when rows may be left
 */
export async function removeStores(ctx: PlatformContext, _payload: unknown, bounds = defaultBounds): Promise<void> {
  const removed = await listRemoved(ctx);
  if (removed.length === 0) return;
  const ids = await findStoresWithRows(ctx, removed);
  for (const store of removed) {
    if (ids.has(store.id)) await deleteRows(ctx, store, bounds);
    else if (store.deletedAt === null && store.removedAt <= fromNow(ctx.clock, -writtenForMs)) {
      await deleteRemoved(ctx, store);
      const { id, slug, removedBy, removedAt } = store;
      ctx.log.info({ store: slug, id, removedBy, removedAt }, 'every row of a removed store is deleted');
    }
  }
  if (ids.size > 0) throw leftForNextRun();
}

/** @returns the ids of those that have a row in any table */
async function findStoresWithRows(ctx: PlatformContext, stores: readonly RemovedStore[]): Promise<Set<string>> {
  const ids = stores.map(({ id }) => id);
  const found = await asPlatform(ctx, 'a removed store is no tenant any more', async (ctx) => {
    const tables = await readTables(ctx, sql`not c.relispartition`);
    const lookups = tables.map(
      ({ name }) => sql`
        select store.id from unnest(${ids}::text[]) as store(id)
        where exists (select from ${rawSql(name)} where tenant_id = store.id offset 0)`,
    );
    return ctx.tx.execute<{ id: string }>(joinSql(lookups, ' union '));
  });
  return new Set(found.map(({ id }) => id));
}

async function deleteRows(ctx: PlatformContext, { id }: RemovedStore, bounds: typeof defaultBounds): Promise<void> {
  const { batchSize, batchesMax } = bounds;
  const store = { ...ctx, tenant: { id } };
  const tables = childrenFirst(await transact(store, (ctx) => readTables(ctx, sql`c.relkind = 'r'`)));
  let batches = 0;
  for (const { name } of tables) {
    let rows = batchSize;
    while (rows === batchSize) {
      if (isShuttingDown(ctx) || batches >= batchesMax) return;
      const batch = () => transact(store, ({ tx }) => tx.execute(removalFrom(name, id, batchSize)));
      rows = (await inTurn(ctx, batch)).length;
      if (rows > 0) batches += 1;
    }
  }
}

const removalFrom = (name: string, tenantId: string, limit: number): Sql => sql`
  delete from ${rawSql(name)} where tenant_id = ${tenantId} and ctid = any(array(
    select ctid from ${rawSql(name)} where tenant_id = ${tenantId} limit ${limit}))
  returning 1`;

interface StoreTable {
  readonly name: string;
  /** The other tables that its rows refer to. */
  readonly parents: readonly string[];
}

/** The tables that have rows of stores, as the schema has them now: no list of them can be incomplete. */
async function readTables(ctx: Pick<InTransaction<PlatformContext>, 'tx'>, which: Sql): Promise<StoreTable[]> {
  return ctx.tx.execute<StoreTable>(sql`
    select c.oid::regclass::text as name, array(
      select distinct f.confrelid::regclass::text from pg_constraint f
      where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as parents
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and ${which} order by 1`);
}

function childrenFirst(tables: readonly StoreTable[]): StoreTable[] {
  const ordered: StoreTable[] = [];
  let left = tables;
  while (left.length > 0) {
    const referred = new Set(left.flatMap(({ parents }) => parents));
    const leaves = left.filter(({ name }) => !referred.has(name));
    if (leaves.length === 0) throw new TypeError(`Tables refer to each other: ${left.map(({ name }) => name)}.`);
    ordered.push(...leaves);
    left = left.filter(({ name }) => referred.has(name));
  }
  return ordered;
}
