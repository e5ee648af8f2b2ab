import anyTest, { type TestFn } from 'ava';
import pg from 'pg';

import { checkDatabase } from '#src/cli/doctor/check-database.ts';
import { checkReplica } from '#src/cli/doctor/check-replica.ts';
import { readConfig } from '#src/config.ts';
import { migrate } from '#src/database/migrate.ts';
import { proveDatabase, UnfitDatabase } from '#src/database/prove-database.ts';
import { read } from '#src/database/transact.ts';
import { type Embedded, startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { listManagedProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices, type Services } from '#src/services.ts';
import { serveApi } from '#test/support/api.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { only } from '#test/support/only.ts';
import { type StartedReplica, startReplica } from '#test/support/start-replica.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

/* A PostgreSQL and a streaming replica of it. The last test promotes the replica. */

interface Servers {
  primary: Embedded;
  replica: StartedReplica;
  services: Services;
  ctx: Context;
}

const test = anyTest as TestFn<Servers>;
let servers: Servers;

async function createServicesOn(databaseUrl: string, readUrl: string): Promise<Services> {
  const config = readConfig(testEnvironment({ DATABASE_URL: databaseUrl, DATABASE_READ_URL: readUrl }));
  return createServices(config, 'test', { log: silentLog, timeouts });
}

test.before(async () => {
  const primary = await startEmbedded();
  await migrate(primary.databaseUrl);
  const replica = await startReplica(primary);
  const services = await createServicesOn(primary.databaseUrl, replica.url);
  servers = { primary, replica, services, ctx: { ...services.context(), tenant: await buildTenant(services) } };
});
test.beforeEach((t) => {
  t.context = servers;
});
test.after.always(async () => {
  await servers?.services.close();
  await servers?.replica.stop();
  await servers?.primary.stop();
});

/** Where a read goes that may be some seconds old. */
async function readFrom(ctx: Context): Promise<'primary' | 'replica'> {
  const [row] = await read<{ isReplica: boolean }>(ctx, sql`select pg_is_in_recovery() as "isReplica"`, {
    replica: true,
  });
  return row?.isReplica ? 'replica' : 'primary';
}

async function runAsAdministrator({ databaseAdminUrl }: Embedded, statement: string): Promise<void> {
  const client = new pg.Client(databaseAdminUrl);
  await client.connect();
  await client.query(statement);
  await client.end();
}

const isListed = async (ctx: Context, slug: string) =>
  (await listManagedProducts(ctx, { limit: 100 })).rows.some((product) => product.slug === slug);

test.serial('lists are read from a replica that has caught up', async (t) => {
  const { ctx, services } = t.context;
  const { slug } = await buildProduct(ctx);
  await until(() => isListed(ctx, slug));
  await until(async () => (await readFrom(ctx)) === 'replica');
  t.like(await checkReplica(services), only({ level: 'ok', about: 'read replica' }));
});

test.serial(
  'a shopper reads his own changes, and lists are read from the primary, while the replica lags',
  async (t) => {
    const { ctx, services, replica } = t.context;
    const api = await serveApi(services, { isRecorded: false });
    t.teardown(() => api.close());
    const [{ variant, slug }, { id }] = await Promise.all([buildProduct(ctx), buildCart(ctx)]);
    await until(() => isListed(ctx, slug));
    await replica.administer('select pg_wal_replay_pause()');

    const { slug: tenant } = ctx.tenant;
    const body = { variantId: variant.id, quantity: 1, unitPriceCents: 3800 };
    for (const quantity of [1, 2, 3]) {
      await api.call('POST', `/api/v1/cart/${id}/items`, { tenant, body });
      const { cart } = (await api.call('GET', `/api/v1/cart/${id}`, { tenant })).body;
      t.is(cart.items[0].quantity, quantity);
    }
    const { slug: later } = await buildProduct(ctx);
    t.is((await api.call('GET', `/api/v1/products/${later}`, { tenant })).status, 200);
    await until(() => isListed(ctx, later));
    t.like(
      await checkReplica(services),
      only({ level: 'warning', message: 'The read replica is more than 5 seconds behind.' }),
    );
    t.is(await readFrom(ctx), 'primary');

    await replica.administer('select pg_wal_replay_resume()');
    await until(async () => (await readFrom(ctx)) === 'replica');
  },
);

test.serial('a read that fails on the replica alone is repeated on the primary', async (t) => {
  const { ctx } = t.context;
  await until(async () => (await readFrom(ctx)) === 'replica');
  const onlyOnPrimary = sql`select pg_current_wal_lsn() is not null as written`;
  t.deepEqual(await read(ctx, onlyOnPrimary, { replica: true }), [{ written: true }]);
});

test.serial('no read fails while the replica is away, and it is used again when it is back', async (t) => {
  const { ctx, services, replica } = t.context;
  await until(async () => (await readFrom(ctx)) === 'replica');
  await replica.kill();
  t.is(await readFrom(ctx), 'primary');
  const [finding] = await checkReplica(services);
  t.is(finding?.level, 'warning');
  t.regex(finding?.message ?? '', /^PostgreSQL does not respond at DATABASE_READ_URL: .*ECONNREFUSED/);
  await replica.start();
  await until(async () => (await readFrom(ctx)) === 'replica');
});

test.serial('a replica is not read as a role that sees the rows of every store', async (t) => {
  const { ctx, primary, replica } = t.context;
  await until(async () => (await readFrom(ctx)) === 'replica');
  const url = new URL(replica.url);
  const { username, password } = new URL(primary.databaseAdminUrl);
  Object.assign(url, { username, password });
  const services = await createServicesOn(primary.databaseUrl, url.href);
  t.teardown(() => services.close());
  t.is(await readFrom({ ...services.context(), tenant: ctx.tenant }), 'primary');
  const reason =
    'The role "postgres" of DATABASE_READ_URL bypasses row-level security, so stores would not be isolated.';
  t.like(await checkReplica(services), only({ level: 'warning', message: reason }));
});

test.serial('a process starts while its replica is away, and reads from the primary', async (t) => {
  const { primary, ctx } = t.context;
  const services = await createServicesOn(primary.databaseUrl, 'postgres://user:password@127.0.0.1:1/shop');
  t.teardown(() => services.close());
  await proveDatabase(services.execute);
  t.is(await readFrom({ ...services.context(), tenant: ctx.tenant }), 'primary');
});

test.serial(
  'a process whose DATABASE_URL is a standby does not start, is not ready, and rejects changes with 503',
  async (t) => {
    const { replica, ctx } = t.context;
    const services = await createServicesOn(replica.url, replica.url);
    const api = await serveApi(services, { isRecorded: false });
    t.teardown(async () => {
      await api.close();
      await services.close();
    });
    const message =
      'DATABASE_URL names a read replica, which accepts no changes. Name the primary, or promote the replica.';
    await t.throwsAsync(proveDatabase(services.execute), { instanceOf: UnfitDatabase, message });
    t.like(await checkDatabase(services), only({ level: 'fault', about: 'database' }));
    t.is((await api.call('GET', '/readyz')).status, 503);
    await until(async () => (await services.tenants.bySlug(ctx.tenant.slug)) !== undefined);
    const { status, headers } = await api.call('POST', '/api/v1/cart', { tenant: ctx.tenant.slug, body: {} });
    t.is(status, 503);
    t.truthy(headers.get('retry-after'));
  },
);

test.serial('a replica that has what was lost when a backup of the primary was restored is not read', async (t) => {
  const { primary, replica, ctx } = t.context;
  const restored = await startReplica(primary, 'restored');
  t.teardown(() => restored.stop());
  await restored.administer('select pg_promote()');
  const { slug } = await buildProduct(ctx);
  await runAsAdministrator(primary, 'select pg_switch_wal()');
  await until(async () => (await readFrom(ctx)) === 'replica');
  await until(() => isListed(ctx, slug));

  const services = await createServicesOn(restored.url, replica.url);
  t.teardown(() => services.close());
  const afterwards = { ...services.context(), tenant: ctx.tenant };
  t.is(await readFrom(afterwards), 'primary');
  t.false(await isListed(afterwards, slug));
  const [finding] = await checkReplica(services);
  t.is(finding?.level, 'warning');
  t.regex(finding?.message ?? '', /before a backup was restored/);
});

test.serial('a replica that was promoted is not read, because it no longer follows', async (t) => {
  const { ctx, services, replica } = t.context;
  await until(async () => (await readFrom(ctx)) === 'replica');
  await replica.administer('select pg_promote()');
  const { slug } = await buildProduct(ctx);
  await until(() => isListed(ctx, slug));
  t.like(
    await checkReplica(services),
    only({ level: 'warning', message: 'DATABASE_READ_URL names no replica, or one that was promoted.' }),
  );
});
