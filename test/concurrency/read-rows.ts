import { asPlatform } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { joinSql, rawSql, sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';

/** What differs from one store to the next. */
const chance: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)/g, 'time'],
  // In milliseconds.
  [/\b1\d{12}\b/g, 'time'],
  [/\\\\x[0-9a-f]*/g, 'bytes'],
  [/\b(evt_)?[a-z]{2,6}_[0-9a-hjkmnp-tv-z]{12,}\b/g, 'id'],
  [/\b[0-9a-f]{8}-?[0-9a-f-]{24,27}\b/g, 'id'],
  // Of an email address, with a secret of the store.
  [/"email":"[\w-]{22}"/g, '"email":"pseudonym"'],
  [/(https:\/\/labels\.example\/|\b92)\w+/g, '$1'],
];
const chanceColumns = /_(id|hash|sealed|token|ids)$|^(digest|fingerprint|hint|last4)$/;

/** What both orders leave right, but not the same. */
const leftOut: Readonly<Record<string, string>> = {
  'audit_log.before': 'has what checkouts hold, which they change without the lock of the thing',
  'audit_log.after': 'the same',
  'audit_log.request_id': 'the one in whose gap the other is gets its own',
  'analytics_batches.visitor': 'a hash with a secret of the day and the store',
  'orders.number': 'a rejected checkout may have taken a number',
  'orders.order_number': 'the same',
  'orders.payment_snapshot_number': 'counts the calls of all stores',
  'orders.version': 'counts snapshots, and a job that runs twice may fetch two',
  'outbox.request_id': 'the one in whose gap the other is gets its own',
  'outbox.starts': 'counts the runs of a job that is done',
  'payment_reversals.snapshot_number': 'counts the calls of all stores',
  'payment_sessions.request': 'has the second in which it ends',
  'staff.totp_step': 'the half minute of a code',
  'subscriptions.snapshot_number': 'counts the calls of all stores',
  'webhook_attempts.object_version': 'an object is sent as it is when it is sent',
  'webhook_endpoints.woken_at': 'whether there is a job that finds nothing to send',
};

/** The same, of whole rows: a number that was taken, and a job that finds nothing to send. */
const isLeftOut = ({ table, row }: Row) =>
  table === 'order_numbers' || (table === 'outbox' && row['job'] === 'webhooks.drain-endpoint');

interface Row {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Every row of a store, sorted, without what chance and the time make of it. */
export async function readRows(services: Services, { tenant }: Pick<Context, 'tenant'>): Promise<string[]> {
  const selects = (await tablesOf(services)).map(
    (table) => sql`
      select ${table} as "table", to_jsonb(t) - 'tenant_id' as row from ${rawSql(table)} t
      where tenant_id = ${tenant.id}`,
  );
  selects.push(sql`select 'tenants', to_jsonb(t) - '{id,slug}'::text[] from tenants t where id = ${tenant.id}`);
  const rows = await asPlatform(services.context(), 'a test', ({ tx }) =>
    tx.execute<Row>(joinSql(selects, ' union all ')),
  );
  return rows
    .filter((row) => !isLeftOut(row))
    .map((row) => `${row.table} ${withoutChance(row, tenant.slug)}`)
    .toSorted();
}

function withoutChance({ table, row }: Row, slug: string): string {
  const shown = Object.entries(row).filter(([column]) => !(`${table}.${column}` in leftOut));
  const text = JSON.stringify(Object.fromEntries(shown), (name, value) =>
    chanceColumns.test(name) && value !== null ? '' : value,
  );
  return chance.reduce(
    (left, [pattern, replacement]) => left.replaceAll(pattern, replacement),
    text.replaceAll(slug, 'shop'),
  );
}

const tables = new WeakMap<Services, readonly string[]>();

/** The tables that have rows of stores. */
export async function tablesOf(services: Services): Promise<readonly string[]> {
  const known = tables.get(services);
  if (known) return known;
  const found = await services.execute<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`);
  const names = found.map(({ name }) => name);
  tables.set(services, names);
  return names;
}
