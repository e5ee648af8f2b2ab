import anyTest, { type TestFn } from 'ava';
import type { PoolClient } from 'pg';
import { asPlatform, continueAs, read, transact } from '#src/database/transact.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { sources } from '#test/architecture/sources.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

/** Tables with a tenant and without row-level security: src/database/README.md says why. */
const platformTables = ['api_keys', 'outbox', 'search_documents'];

/** Every use of `asPlatform` with its reason. Add new ones here. */
const platformUses: readonly string[] = [
  'src/cli/apply/apply-store.ts: a store file creates its store and its content in one transaction',
  'src/domain/analytics/backlog.ts: batches of all stores wait in one queue',
  'src/domain/analytics/aggregate-batches.ts: batches of all stores are aggregated together',
  'src/domain/analytics/aggregate-chosen.ts: batches of all stores are aggregated together',
  'src/domain/analytics/partitions.ts: partitions are shared by all stores',
  'src/domain/analytics/read-numbers.ts: operators see the numbers of all stores',
  'src/domain/analytics/quarantine.ts: batches of all stores can be quarantined',
  'src/domain/backoffice/attention.ts: operators see the orders of every store that need attention',
  'src/domain/backoffice/read-operations.ts: operators see the state of every store',
  'src/domain/backoffice/remove-store.ts: a removed store is no tenant any more',
  'src/domain/bulk/operation.ts: operators see the imports, exports and bulk changes of every store',
  'src/domain/mail/unsent-mail.ts: operators see the emails of every store that were given up',
  'src/domain/payments/drift/drift-reports.ts: operators see where orders and payments of a store do not agree',
  'src/domain/payments/events/sweep-events.ts: each store has a provider account of its own',
  'src/domain/payments/sessions/check-session.ts: sessions of every store come due',
  'src/domain/remove-expired.ts: expired rows belong to every store',
  'src/domain/secrets/inspect-secrets.ts: operators see which key sealed which values of all stores',
  'src/domain/secrets/rewrap-secrets.ts: sealed values of all stores get a new key',
  'src/domain/search/zero-result-searches.ts: a store has more searches that found nothing than it may',
  'src/domain/search/zero-result-searches.ts: each store has searches that found nothing',
  'src/domain/search/request-embedding.ts: documents of every store are embedded',
  'src/domain/shipping/read-labels.ts: operators see the labels of every store that need attention or wait',
  'src/domain/shipping/check-purchases.ts: checks of labels are enqueued for every store',
  'src/domain/shipping/reconcile-tracking.ts: polls of parcels are enqueued for every store',
  'src/domain/webhooks/webhooks-needing-attention.ts: operators see the webhooks of every store that need attention',
  'workers/relay/start-relay.ts: schedules belong to no tenant',
];

interface Column {
  readonly name: string;
  readonly type: string;
}
interface Table {
  readonly name: string;
  readonly secured: boolean;
  readonly partitioned: boolean;
  readonly columns: readonly Column[];
}

test.serial('no store sees, changes, takes or leaves a row in any table of another', async (t) => {
  const { services, ctx } = t.context;
  const other = await buildTenant(services);
  const { pool } = services.context().database;
  const tables = (await findTables(t.context)).filter(({ secured }) => secured);
  t.true(tables.length >= 20, `${tables.length} tables`);
  await dropConstraints(t.context, tables);

  for (const { name, columns } of tables) {
    const client = await pool.connect();
    try {
      for (const tenantId of [ctx.tenant.id, other.id]) {
        await inTransaction(client, { platform: 'on' }, () => client.query(insertion(name, columns, tenantId)));
      }
      await inTransaction(client, { tenant: ctx.tenant.id }, async () => {
        const { rows } = await client.query(`select tenant_id from ${name}`);
        t.deepEqual(rows, [{ tenant_id: ctx.tenant.id }], `${name}: only its own row is seen`);
        const set = `set tenant_id = tenant_id where tenant_id = '${other.id}'`;
        t.is((await client.query(`update ${name} ${set}`)).rowCount, 0, `${name}: a foreign row is not changed`);
        t.is(
          (await client.query(`delete from ${name} where tenant_id = '${other.id}'`)).rowCount,
          0,
          `${name}: nor deleted`,
        );
      });
      const refused = { code: '42501' };
      const attempt = (statement: string) =>
        inTransaction(client, { tenant: ctx.tenant.id }, () => client.query(statement));
      await t.throwsAsync(
        attempt(insertion(name, columns, other.id, 'z')),
        refused,
        `${name}: no row is left with another`,
      );
      await t.throwsAsync(
        attempt(`update ${name} set tenant_id = '${other.id}'`),
        refused,
        `${name}: no row is given away`,
      );
      for (const setting of [{}, { tenant: '' }, { platform: 'off' }, { platform: '1' }]) {
        await inTransaction(client, setting, async () => {
          t.deepEqual(
            (await client.query(`select 1 from ${name}`)).rows,
            [],
            `${name}: who names no store sees nothing`,
          );
        });
      }
      await inTransaction(client, { platform: 'on' }, async () => {
        t.is((await client.query(`select 1 from ${name}`)).rowCount, 2, `${name}: the platform sees all`);
      });
    } finally {
      client.release();
    }
  }
});

test('every table that names a tenant is held to it, but for those of the platform', async (t) => {
  const open = (await findTables(t.context)).filter(({ secured }) => !secured).map(({ name }) => name);
  t.deepEqual(
    open.filter((name) => !platformTables.includes(name)),
    [],
  );
});

test('a transaction of one store leaves nothing behind on its connection', async (t) => {
  const { ctx, services } = t.context;
  await transact(ctx, async (ctx) => ctx.tx.execute(sql`select 1`));
  await asPlatform(services.context(), 'a test', async (ctx) => ctx.tx.execute(sql`select 1`));
  await read(ctx, sql`select 1 as one`);
  const statement = sql`
    select nullif(current_setting('app.tenant_id', true), '') as tenant,
      nullif(current_setting('app.platform', true), '') as platform`;
  for (let connection = 0; connection < 5; connection += 1) {
    t.deepEqual(await services.execute(statement), [{ tenant: null, platform: null }]);
  }
});

test('continueAs limits the platform to the rows of one store', async (t) => {
  const { ctx, services, tenant } = t.context;
  const other = await buildTenant(services);
  const insert = (tenantId: string) => sql`
    insert into events (tenant_id, id, type, object_id, created_at)
    values (${tenantId}, ${`evt_${tenantId}`}, 'order.paid', 'ord_1', now())`;
  await transact({ ...ctx, tenant: other }, async (ctx) => ctx.tx.execute(insert(other.id)));

  await asPlatform(services.context(), 'a test', async (platform) => {
    const ctx = await continueAs(platform, tenant);
    await ctx.tx.execute(insert(tenant.id));
    const seen = await ctx.tx.execute(
      sql`select tenant_id from events where tenant_id = any(${[tenant.id, other.id]})`,
    );
    t.deepEqual(seen, [{ tenant_id: tenant.id }]);
  });
  await t.throwsAsync(
    asPlatform(services.context(), 'a test', async (platform) => {
      const ctx = await continueAs(platform, tenant);
      await ctx.tx.execute(insert(other.id));
    }),
    { message: /row-level security/ },
  );
});

test('every function that works across stores is listed', (t) => {
  const use = /\basPlatform\(\s*[\w.()]+,\s*(?:'([^']*)'|([^,]*)),/g;
  const uses = sources
    .filter(({ path }) => path !== 'src/domain/database.ts')
    .flatMap(({ path, text }) => [...text.matchAll(use)].map(([, reason, other]) => `${path}: ${reason ?? other}`));
  t.deepEqual(
    uses.filter((use) => !platformUses.includes(use)),
    [],
    'these are new: say here what they are for',
  );
  t.deepEqual(
    platformUses.filter((use) => !uses.includes(use)),
    [],
    'these are gone',
  );
});

async function findTables({ services }: TestContext): Promise<Table[]> {
  return services.execute<Table>(sql`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as secured, c.relkind = 'p' as partitioned,
      (select json_agg(json_build_object('name', a.attname, 'type', t.typname))
       from pg_attribute a join pg_type t on t.oid = a.atttypid
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         and a.attnotnull) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id'
        and not a.attisdropped)
    order by c.relname`);
}

/** In this file's own database, because rows are inserted without their other constraints. */
async function dropConstraints({ services }: TestContext, tables: readonly Table[]): Promise<void> {
  for (const kind of ['f', 'c']) {
    const constraints = await services.execute<{ drop: string }>(sql`
      select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop from pg_constraint
      where contype = ${kind} and conparentid = 0 and coninhcount = 0 and connamespace = 'public'::regnamespace`);
    for (const { drop } of constraints) await services.execute(rawSql(drop));
  }
  for (const { name } of tables.filter(({ partitioned }) => partitioned)) {
    const [found] = await services.execute(sql`
      select 1 from pg_partitioned_table where partrelid = ${name}::regclass and partdefid <> 0`);
    if (!found) await services.execute(rawSql(`create table ${name}_rest partition of ${name} default`));
  }
}

/** A row of a table with something in each column that needs it, unlike any other tenant's. */
function insertion(table: string, columns: readonly Column[], tenantId: string, mark = ''): string {
  const text = `'${tenantId}${mark}'`;
  const samples: Record<string, string> = {
    text,
    varchar: text,
    _text: `'{}'`,
    bytea: `decode(md5(${text}), 'hex')`,
    uuid: 'gen_random_uuid()',
    int2: '1',
    int4: '1',
    int8: '1',
    numeric: '1',
    float8: '1',
    bool: 'true',
    json: `'{}'`,
    jsonb: `'{}'`,
    timestamptz: 'now()',
    date: 'current_date',
    inet: `'127.0.0.1'`,
  };
  const values = columns.map(({ name, type }) => {
    if (name === 'tenant_id') return `'${tenantId}'`;
    const sample = samples[type];
    if (!sample) throw new Error(`${table}.${name} is ${type}: say here what stands in it.`);
    return sample;
  });
  return `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) values (${values.join(', ')})`;
}

async function inTransaction(
  client: PoolClient,
  { tenant, platform }: { tenant?: string; platform?: string },
  work: () => Promise<unknown>,
): Promise<void> {
  await client.query('begin');
  try {
    if (tenant !== undefined) await client.query("select set_config('app.tenant_id', $1, true)", [tenant]);
    if (platform !== undefined) await client.query("select set_config('app.platform', $1, true)", [platform]);
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
