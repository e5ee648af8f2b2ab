import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import test from 'ava';
import pg from 'pg';

import { readConfig } from '#src/config.ts';
import { migrate, pendingMigrations } from '#src/database/migrate.ts';
import { proveDatabase } from '#src/database/prove-database.ts';
import { read } from '#src/database/transact.ts';
import { startPostgres } from '#src/dev/embedded/postgres.ts';
import { ensurePostgresClient } from '#src/dev/embedded/programs.ts';
import { takeOrderNumber } from '#src/domain/orders/index.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { codeBlock } from '#test/support/documents.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildMail, newAddress, orderMail } from '#test/support/factories/mail.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';
import { buildTenant } from '#test/support/tenant.ts';

const execute = promisify(execFile);

test('a backup restores every row of every store, on the oldest PostgreSQL', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-backup-'));
  // PostgreSQL may have to run as another account.
  chmodSync(folder, 0o711);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [{ pgDump, pgRestore }, postgres] = await Promise.all([
    ensurePostgresClient(),
    startPostgres({ folder, oldest: true }),
  ]);
  t.teardown(() => postgres.stop());
  await migrate(postgres.url);
  const environment = testEnvironment({ DATABASE_URL: postgres.url });
  const services = await createServices(readConfig(environment), 'test', { log: silentLog });
  t.teardown(() => services.close());
  const stores = await Promise.all(
    [1, 2].map(async () => {
      const ctx = { ...services.context(), tenant: await buildTenant(services) };
      await buildPaymentAccount(ctx);
      await buildProduct(ctx);
      await takeOrderNumber(ctx);
      const order = await buildReturnableOrder(ctx);
      await buildReturn(ctx, order);
      const { id, order_number: orderNumber } = order;
      await buildMail(ctx, {
        kind: 'receipt',
        to: newAddress(),
        data: orderMail({ order_number: orderNumber }),
        subjectId: id,
      });
      return ctx;
    }),
  );

  const restored = await newDatabase(postgres, 'restored üç$0');
  symlinkSync(pgDump, join(folder, 'pg_dump'));
  symlinkSync(pgRestore, join(folder, 'pg_restore'));
  const run = (command: string) =>
    execute('sh', ['-ec', command], {
      cwd: folder,
      env: {
        PATH: [folder, process.env['PATH']].join(delimiter),
        DATABASE_URL: postgres.url,
        NEW_DATABASE_URL: restored,
      },
    });
  await t.throwsAsync(
    run('pg_dump "$DATABASE_URL"'),
    { message: /row-level security policy/ },
    'without the setting nothing is left out silently',
  );
  await run(codeBlock('src/cli/DEPLOYMENT.md', 'sh', 'pg_dump'));

  const [before, after] = await Promise.all([countRows(postgres.url), countRows(restored)]);
  t.true((before['orders'] ?? 0) === 2 && (before['outbox'] ?? 0) > 0 && (before['products'] ?? 0) === 2);
  t.deepEqual(after, before);
  t.deepEqual(await pendingMigrations(restored), []);

  const again = await createServices(readConfig({ ...environment, DATABASE_URL: restored }), 'test', {
    log: silentLog,
  });
  t.teardown(() => again.close());
  await t.notThrowsAsync(proveDatabase(again.execute), 'the restored database keeps stores apart');
  await skipNumbers(restored);
  for (const { tenant } of stores) {
    const ctx = { ...again.context(), tenant };
    const [last, next] = await Promise.all([takeOrderNumber({ ...services.context(), tenant }), takeOrderNumber(ctx)]);
    t.is(next, last + 1000, 'no order gets a number that was given after the backup');
    const found = await read<{ tenantId: string }>(ctx, sql`select tenant_id as "tenantId" from orders`);
    t.deepEqual(found, [{ tenantId: tenant.id }]);
    const state = sql`
      select (select next_number from return_counters) as next, o.version as "orderVersion",
        r.version as "returnVersion" from returns r join orders o on o.id = r.order_id`;
    const [[had], [has]] = await Promise.all([
      read<ReturnState>({ ...services.context(), tenant }, state),
      read<ReturnState>(ctx, state),
    ]);
    t.is(has?.next, (had?.next ?? 0) + 1000, 'no return gets a number that was given after the backup');
    t.is(has?.orderVersion, (had?.orderVersion ?? 0) + 1000, 'receivers do not take it for older than what they have');
    t.is(has?.returnVersion, (had?.returnVersion ?? 0) + 1000);
  }
});

interface ReturnState {
  next: number;
  orderVersion: number;
  returnVersion: number;
}

/** An empty database of the same owner, as an operator makes one. */
async function newDatabase({ url, adminUrl }: { url: string; adminUrl: string }, name: string): Promise<string> {
  const address = new URL(url);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(
    `create database ${pg.escapeIdentifier(name)} owner ${pg.escapeIdentifier(decodeURIComponent(address.username))}`,
  );
  await admin.end();
  address.pathname = encodeURI(name);
  return address.href;
}

async function skipNumbers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(codeBlock('src/cli/DEPLOYMENT.md', 'sql', 'order_numbers'));
  await client.end();
}

async function countRows(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url, options: '-c app.platform=on' });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      order by 1`);
    const counts: Record<string, number> = {};
    for (const { name } of rows)
      counts[name] = Number((await client.query(`select count(*) from "${name}"`)).rows[0].count);
    return counts;
  } finally {
    await client.end();
  }
}
