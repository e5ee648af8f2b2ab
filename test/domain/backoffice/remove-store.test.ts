import anyTest, { type TestFn } from 'ava';
import { refundDuplicate, refundUnusedLabel } from '#jobs/labels.ts';
import { mailLink } from '#jobs/sessions.ts';
import { asPlatform, transact } from '#src/database/transact.ts';
import { busiestTenants } from '#src/domain/analytics/index.ts';
import { recordAudit } from '#src/domain/audit/index.ts';
import { attentionKinds } from '#src/domain/backoffice/attention-by-reason.ts';
import {
  countStoreRows,
  ordersNeedingAttention,
  readOperations,
  removeStore,
  removeStores,
} from '#src/domain/backoffice/index.ts';
import { openOperations } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { unsentMails } from '#src/domain/mail/index.ts';
import { readDrift } from '#src/domain/payments/index.ts';
import { labelsForOperators } from '#src/domain/shipping/index.ts';
import { closeStore, issueKey, listRemoved, listTenants, reopenStore } from '#src/domain/tenants/index.ts';
import { webhooksNeedingAttention } from '#src/domain/webhooks/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { joinSql, rawSql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Services } from '#src/services.ts';
import { tablesOf } from '#test/concurrency/read-rows.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { dieAt } from '#test/support/die-at.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

/* In a database of its own, whose tables are filled without their checks. */
const test = anyTest as TestFn<TestContext>;
useContext(test);

const bounds = { batchSize: 2, batchesMax: 1000 };

/** @returns whether rows may be left */
async function runOnce(services: Services, given = bounds): Promise<boolean> {
  try {
    await removeStores(services.context(), {}, given);
    return false;
  } catch (error) {
    if (error instanceof Snooze) return true;
    throw error;
  }
}

/** Close a store a while ago. */
const close = (ctx: Context) => transact({ ...ctx, clock: { now: () => fromNow(ctx.clock, -minutes(5)) } }, closeStore);

async function closeAndRemove(ctx: Context): Promise<void> {
  await close(ctx);
  const { id } = ctx.tenant;
  // What rows without checks say is in the way.
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`update subscriptions set status = 'canceled' where tenant_id = ${id}`);
    await tx.execute(sql`update payment_sessions set state = 'expired' where tenant_id = ${id}`);
  });
  const obstacles = await removeStore(ctx, 'ada@desk');
  if (obstacles.length > 0) throw new Error(obstacles.join());
}

const listLeft = async (services: Services) =>
  (await listRemoved(services.context())).filter(({ deletedAt }) => deletedAt === null);

/** How many rows each store has, by table. */
async function rowsOf({ services }: TestContext, tenantId: string): Promise<Map<string, unknown[]>> {
  const selects = (await tablesOf(services)).map(
    (table) => sql`
      select ${table} as "table", to_jsonb(t) as row from ${rawSql(table)} t where tenant_id = ${tenantId}`,
  );
  const rows = await asPlatform(services.context(), 'a test', ({ tx }) =>
    tx.execute<{ table: string; row: unknown }>(joinSql(selects, ' union all ')),
  );
  return new Map(
    [...Map.groupBy(rows, ({ table }) => table)].map(([table, found]) => [table, found.map(({ row }) => row)]),
  );
}

const sorted = (rows: Map<string, unknown[]>) =>
  [...rows].map(([table, found]) => [table, found.map((row) => JSON.stringify(row)).toSorted()]).toSorted();

/** Give stores five rows in every table, which refer to each other, and one where a store has one. */
async function fillTables(services: Services, tenantIds: readonly string[]): Promise<readonly string[]> {
  const constraints = await services.execute<{ drop: string; add: string | null }>(sql`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop, case when contype = 'f'
      then format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) end as add
    from pg_constraint where contype in ('f', 'c') and conparentid = 0 and coninhcount = 0
      and connamespace = 'public'::regnamespace and conrelid <> 'tenants'::regclass`);
  for (const { drop } of constraints) await services.execute(rawSql(drop));
  const tables = await tablesOf(services);
  for (const table of tables) {
    const [partitioned] = await services.execute<{ has: boolean }>(sql`
      select partdefid <> 0 as has from pg_partitioned_table where partrelid = ${table}::regclass`);
    if (partitioned && !partitioned.has)
      await services.execute(rawSql(`create table ${table}_rest partition of ${table} default`));
    const columns = await services.execute<{ name: string; type: string }>(sql`
      select a.attname as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and a.attnotnull and a.attname <> 'tenant_id'`);
    for (const tenantId of tenantIds) {
      for (let number = 1; number <= 5; number += 1) {
        const names = columns.map(({ name }) => name);
        const values = columns.map(({ type }) => sampleOf(type, `${tenantId}_${number}`, number));
        await asPlatform(services.context(), 'a test', ({ tx }) =>
          tx.execute(
            rawSql(
              `insert into ${table} (tenant_id, ${names}) values ('${tenantId}', ${values}) on conflict do nothing`,
            ),
          ),
        );
      }
    }
  }
  for (const { add } of constraints) if (add) await services.execute(rawSql(add));
  return tables;
}

/** The same for each column of a type, so that rows refer to each other. */
function sampleOf(type: string, text: string, number: number): string {
  if (['text', 'varchar', 'name'].includes(type)) return `'${text}'`;
  if (type.startsWith('_')) return `'{}'`;
  if (type === 'bytea') return `sha256('${text}')`;
  if (type === 'uuid') return `md5('${text}')::uuid`;
  if (type.startsWith('json')) return `'{}'`;
  if (type === 'bool') return 'false';
  if (type === 'timestamptz') return 'now()';
  if (type === 'date') return `current_date`;
  if (type === 'tsvector') return `''`;
  return String(number);
}

test.serial('operators see nothing of a removed store while its rows are being deleted', async (t) => {
  const { ctx, services, tenant, clock } = t.context;
  await fillTables(services, [tenant.id]);
  const now = clock.now();
  // What the pages and the start page of operators are about.
  await transact(ctx, async ({ tx }) => {
    for (const change of [
      sql`update mails set state = 'failed', kind = 'receipt'`,
      sql`update labels set state = 'needs_attention', reason_code = 'no_rates', next_attempt_at = ${now}`,
      sql`update unused_labels set acknowledged_at = null`,
      sql`update webhook_endpoints set failing_since = ${now}, disabled_at = null, events = '["order.*"]'`,
      sql`update webhook_deliveries set state = 'failed', finished_at = ${now}`,
      sql`update bulk_operations set state = 'running', finished_at = null`,
      sql`update orders set attentions = '[{"code": "amount_mismatch", "detail": ""}]'`,
      sql`update payment_accounts set mode = 'direct', secret_key_sealed = 'x', silent_since = ${now}`,
      sql`update payment_event_gaps set finished_at = null`,
      sql`update payment_drift_reports set unpaid_here = '["ord_1"]', unpaid_there = '[]',
        unmade_renewals = '[]', created_at = ${now}`,
      sql`update shipping_accounts set paused_at = ${now}`,
      sql`update analytics_days set day = ${now}::timestamptz::date`,
      sql`update erasures set state = 'failed'`,
    ])
      await tx.execute(sql`${change} where tenant_id = ${tenant.id}`);
  });
  const platform = services.context();
  const readPages = async () => {
    const [labels, webhooks, drift] = [
      await labelsForOperators(platform, 9),
      await webhooksNeedingAttention(platform, 9),
      await readDrift(platform, 9),
    ];
    const pages: Record<string, readonly { tenantId: string }[]> = {
      mails: (await unsentMails(platform, 9)).mails,
      labels: labels.labels,
      delayed: labels.delayed,
      duplicates: labels.duplicates,
      endpoints: webhooks.endpoints,
      deliveries: webhooks.deliveries,
      operations: await openOperations(platform, 9),
      orders: await ordersNeedingAttention(platform, 9),
      compared: drift.stores,
      drifted: drift.orders,
      gaps: drift.gaps,
      busiest: await busiestTenants(platform, { days: 2, limit: 9 }),
    };
    return Object.entries(pages).flatMap(([page, rows]) =>
      rows.some((row) => row.tenantId === tenant.id) ? page : [],
    );
  };
  const readKinds = async () => new Set((await readOperations(platform)).attention.map(({ kind }) => kind));
  t.is((await readPages()).length, 12, String(await readPages()));
  const kinds = await readKinds();
  t.deepEqual([...kinds].toSorted(), [...attentionKinds].toSorted());
  await closeAndRemove(ctx);
  t.deepEqual(await readPages(), []);
  t.deepEqual([...(await readKinds())], []);

  while (await runOnce(services));
  clock.pass(minutes(61));
  t.false(await runOnce(services));
});

test.serial('a removed store leaves no row in any table, and another with the same rows stays as it was', async (t) => {
  const { ctx, services, tenant, clock } = t.context;
  const other = await buildTenant(services);
  const tables = await fillTables(services, [tenant.id, other.id]);
  const filled = await rowsOf(t.context, tenant.id);
  t.deepEqual([...filled.keys()].toSorted(), [...tables].toSorted());
  t.true([...filled.values()].filter((rows) => rows.length === 5).length > 50);
  t.deepEqual(
    (await countStoreRows(ctx)).map(({ table, rows }) => [table, rows]),
    [...filled].map(([table, rows]) => [table, rows.length]).toSorted(),
  );
  const before = sorted(await rowsOf(t.context, other.id));

  await closeAndRemove(ctx);
  t.true(await runOnce(services));
  t.deepEqual(sorted(await rowsOf(t.context, tenant.id)), []);
  t.false(await runOnce(services));
  t.is((await listLeft(services)).length, 1, 'its own row stays for an hour');
  clock.pass(minutes(61));
  t.false(await runOnce(services));
  t.deepEqual(await services.execute(sql`select slug from tenants where id = ${tenant.id}`), []);
  const stays = (await listRemoved(services.context())).find(({ id }) => id === tenant.id);
  t.like(stays, { slug: tenant.slug, removedBy: 'ada@desk' });
  t.truthy(stays?.deletedAt);
  t.deepEqual(sorted(await rowsOf(t.context, other.id)), before);
  t.true((await listTenants(services.context())).some(({ id }) => id === other.id));
});

test.serial('a removal whose process is killed before any statement is continued', async (t) => {
  const { ctx, services, tenant, clock } = t.context;
  await services.execute(sql`delete from outbox`);
  await fillTables(services, [tenant.id]);
  await closeAndRemove(ctx);
  clock.pass(minutes(61));
  let kills = 0;
  for (let step = 1; await dieAt(services, step, () => runOnce(services)); step += 1) kills += 1;
  t.true(kills > 30, `${kills} kills`);
  while (await runOnce(services));
  t.deepEqual(sorted(await rowsOf(t.context, tenant.id)), []);
  t.deepEqual(await listLeft(services), []);
});

test.serial('what a job or a request in progress writes late is deleted, too, before the slug is free', async (t) => {
  const { ctx, services, tenant, clock } = t.context;
  await services.execute(sql`delete from outbox`);
  await buildPaidOrder(ctx);
  await close(ctx);
  t.deepEqual(await removeStore(ctx, 'ada@desk'), []);
  const writeLate = () =>
    transact(ctx, async (ctx) => {
      enqueue(ctx, mailLink, { linkId: `link_${ctx.clock.now().getTime()}` });
      await issueKey(ctx, {
        name: `late-${clock.now().getTime()}`,
        kind: 'secret',
        scopes: ['orders:read'],
        expiresAt: null,
      });
      await recordAudit(ctx, { action: 'store.closed', subjectKind: 'store', subjectId: tenant.slug });
    });
  clock.pass(seconds(2));
  await writeLate();
  // A job of the store ends without effect, and that of the removal was enqueued with it.
  const outcomes = await runJobs(services, { rounds: 1 });
  t.true(outcomes.includes('sessions.mail-link: done'), String(outcomes));
  t.true(
    outcomes.some((outcome) => outcome.startsWith('backoffice.remove-stores: snooze')),
    String(outcomes),
  );
  t.deepEqual(sorted(await rowsOf(t.context, tenant.id)), []);

  clock.pass(minutes(61));
  await writeLate();
  t.true(await runOnce(services));
  t.is((await listLeft(services)).length, 1, 'a pass that deletes something is not the last');
  t.false(await runOnce(services));
  t.deepEqual(await listLeft(services), []);
  t.deepEqual(sorted(await rowsOf(t.context, tenant.id)), []);
});

test.serial('what a process writes that was suspended for days while the store was removed is deleted', async (t) => {
  const { ctx, services, tenant, clock } = t.context;
  await services.execute(sql`delete from outbox`);
  await closeAndRemove(ctx);
  clock.pass(minutes(61));
  while (await runOnce(services));
  t.deepEqual(await listLeft(services), []);
  clock.pass(days(3));
  await transact(ctx, async (ctx) => {
    enqueue(ctx, mailLink, { linkId: 'link_late' });
    await recordAudit(ctx, { action: 'store.closed', subjectKind: 'store', subjectId: tenant.slug });
  });
  t.deepEqual([...(await rowsOf(t.context, tenant.id)).keys()], ['audit_log', 'outbox']);
  t.true(await runOnce(services));
  t.false(await runOnce(services));
  t.deepEqual(sorted(await rowsOf(t.context, tenant.id)), []);
});

test.serial('a run deletes a limited number of batches, and the next one continues', async (t) => {
  const { ctx, services, tenant } = t.context;
  for (let order = 0; order < 6; order += 1) await buildPaidOrder(ctx);
  await close(ctx);
  await removeStore(ctx, 'ada@desk');
  t.true(await runOnce(services, { batchSize: 1, batchesMax: 3 }));
  t.true((await rowsOf(t.context, tenant.id)).size > 0);
  while (await runOnce(services, { batchSize: 1, batchesMax: 3 }));
  t.deepEqual(sorted(await rowsOf(t.context, tenant.id)), []);
});

test.serial('a store is removed only when it is closed and nothing of it is on its way', async (t) => {
  const { ctx, clock } = t.context;
  t.deepEqual(await removeStore(ctx, 'ada@desk'), ['the store is not closed']);
  await transact(ctx, closeStore);
  t.regex(String(await removeStore(ctx, 'ada@desk')), /^shoppers who were checking out .*\(wait until 20/);
  clock.pass(minutes(5));
  const { id } = await buildSubscription(ctx);
  const order = await buildPaidOrder(ctx);
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`
      insert into payment_sessions (tenant_id, order_id, state, request, idempotency_key, created_at, expires_at)
      values (${ctx.tenant.id}, ${order.id}, 'processing', '{}', 'key', now(), now())`);
    await tx.execute(sql`
      insert into payment_refunds (tenant_id, id, order_id, state, amount_cents, requested_by, created_at)
      values (${ctx.tenant.id}, 'rfd_1', ${order.id}, 'requested', 100, 'key_1', now())`);
    await tx.execute(sql`
      insert into labels (tenant_id, id, order_id, order_number, state, reason_code, latest_attempt, failed_attempts,
        chosen_manually, buy_number, buying_since, rechecks, created_at, updated_at)
      values (${ctx.tenant.id}, 'lbl_1', ${order.id}, 'ORD-1', 'needs_attention', 'outcome_unknown', 1, 0, false, 1,
        now(), 0, now(), now())`);
  });
  t.deepEqual(
    (await removeStore(ctx, 'ada@desk')).map((obstacle) => obstacle.replace(/ that.*/, '')),
    ['subscriptions', 'checkouts', 'refunds', 'labels'],
  );
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`update subscriptions set cancel_at_period_end = true where id = ${id}`);
    await tx.execute(sql`update payment_sessions set state = 'settled' where tenant_id = ${ctx.tenant.id}`);
    await tx.execute(
      sql`update payment_refunds set state = 'sent', settled_at = now() where tenant_id = ${ctx.tenant.id}`,
    );
    await tx.execute(sql`update labels set buying_since = null where tenant_id = ${ctx.tenant.id}`);
  });
  await transact(ctx, async (ctx) => {
    enqueue(ctx, refundUnusedLabel, { labelId: 'lbl_1', kind: 'refund', version: 1 });
    enqueue(ctx, refundDuplicate, { purchaseId: 'tr_1' });
  });
  t.regex(String(await removeStore(ctx, 'ada@desk')), /^labels that are .*: 2 \(wait/);
  await ctx.database.pool.query(`update outbox set next_relay_at = null, finished_at = now() where tenant_id = $1`, [
    ctx.tenant.id,
  ]);
  t.deepEqual(await removeStore(ctx, 'ada@desk'), []);
  await t.throwsAsync(removeStore(ctx, 'ada@desk'), { message: /store/ });
  t.false(await transact(ctx, reopenStore), 'who had found it before it was removed does not open it again');
});
