import { availableParallelism } from 'node:os';
import type { Duplex } from 'node:stream';
import anyTest, { type TestFn } from 'ava';
import { replyToError } from '#src/api/lib/reply-to-error.ts';
import { read, transact } from '#src/database/transact.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { serveApi } from '#test/support/api.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { dieAt } from '#test/support/die-at.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test, { environment: { DATABASE_POOL_MAX: '4' } });

test.serial(
  'slow reads of one store use at most half of the pool, more of them are rejected, and another store can read',
  async (t) => {
    const { ctx, services } = t.context;
    const other = { ...ctx, tenant: await buildTenant(services) };
    const lock = await ctx.database.pool.connect();
    await lock.query('begin; select pg_advisory_xact_lock(7)');
    const slow = [ctx, ctx, { ...ctx, readTimeoutMs: 1000 }].map((each) =>
      read<{ one: number }>(each, sql`select 1 as one from pg_advisory_xact_lock_shared(7)`),
    );
    const outcomes = Promise.allSettled(slow);
    const waitingFor = sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event = 'advisory'`;
    await until(async () => (await services.execute(waitingFor)).length === 2);

    t.deepEqual(await read(other, sql`select 2 as two`), [{ two: 2 }]);
    const error = await t.throwsAsync(Promise.race(slow), { instanceOf: Snooze });
    t.like(replyToError(error, 'req_1'), {
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: 'service_unavailable', retry_after: 1 },
    });
    t.is((await services.execute(waitingFor)).length, 2);

    const next = read(ctx, sql`select 3 as three`);
    await lock.query('commit');
    lock.release();
    t.deepEqual(await next, [{ three: 3 }], 'one that waits goes on when another ends');
    t.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    t.deepEqual(
      await Promise.all(Array.from({ length: 50 }, () => read(ctx, sql`select 4 as four`))),
      Array(50).fill([{ four: 4 }]),
    );
  },
);

test.serial(
  'one expensive read of a store runs at a time, those beyond 50 that wait are rejected, another store has its turn',
  async (t) => {
    const { ctx, services } = t.context;
    const other = { ...ctx, tenant: await buildTenant(services) };
    const lock = await ctx.database.pool.connect();
    await lock.query('begin; select pg_advisory_xact_lock(9)');
    const ended: string[] = [];
    const readIn = async (name: string, of: typeof ctx) => {
      await read(of, sql`select 1 from pg_advisory_xact_lock_shared(9)`, { expensive: true });
      ended.push(name);
    };
    const accepted = Array.from({ length: 51 }, () => readIn('first', ctx));
    await t.throwsAsync(readIn('first', ctx), { instanceOf: Snooze });
    const fromOther = readIn('other', other);
    const running = sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event = 'advisory'`;
    // With two processors the second is the other store's: of one store one runs at a time.
    const atOnce = Math.min(2, availableParallelism());
    await until(async () => (await services.execute(running)).length === atOnce);
    t.deepEqual(await read(ctx, sql`select 2 as two`), [{ two: 2 }], 'others of its reads do not wait for them');

    await lock.query('commit');
    lock.release();
    await fromOther;
    if (atOnce === 1) t.true(ended.indexOf('other') <= 2, `${ended.indexOf('other')} of 51 were served before it`);
    await Promise.all(accepted);
    t.is((await services.execute(running)).length, 0);
  },
);

test.serial('a read with a time limit ends in time, and its connection can be used again', async (t) => {
  const { ctx } = t.context;
  const lock = await ctx.database.pool.connect();
  await lock.query('begin; select pg_advisory_xact_lock(8)');
  const limited = { ...ctx, readTimeoutMs: 100 };
  const slow = read(limited, sql`select 1 as one from pg_advisory_xact_lock_shared(8)`);
  await t.throwsAsync(slow, { instanceOf: Snooze });
  t.deepEqual(await read(limited, sql`select ${ctx.tenant.id} = current_setting('app.tenant_id') as own`), [
    { own: true },
  ]);
  t.deepEqual(await read(limited, sql`select current_setting('statement_timeout') as limit`), [{ limit: '100ms' }]);
  t.deepEqual(
    await read(ctx, sql`select current_setting('statement_timeout') as limit, current_setting('jit') as jit`),
    [{ limit: '15s', jit: 'off' }],
  );
  await lock.query('commit');
  lock.release();
});

test.serial('a request whose slow read takes too long gets 503, and may try again', async (t) => {
  const { ctx, services } = t.context;
  const api = await serveApi({ ...services, timeouts: { ...services.timeouts, readMs: 100 } });
  t.teardown(() => api.close());
  const lock = await ctx.database.pool.connect();
  await lock.query('begin; lock table products in access exclusive mode');
  const { status, headers, body } = await api.call('GET', '/api/v1/products?q=mug', { tenant: ctx.tenant.slug });
  t.is(status, 503);
  t.is(headers.get('retry-after'), '1');
  t.is(body.error, 'service_unavailable');
  await lock.query('commit');
  lock.release();
  const unlimited = await serveApi(services);
  t.teardown(() => unlimited.close());
  t.is((await unlimited.call('GET', '/api/v1/products?q=mug', { tenant: ctx.tenant.slug })).status, 200);
});

test.serial('connections that PostgreSQL ends during a transaction are returned to the pool', async (t) => {
  const { ctx } = t.context;
  for (let time = 0; time < 5; time += 1) {
    await t.throwsAsync(transact(ctx, (ctx) => ctx.tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)));
  }
  t.deepEqual(await transact(ctx, (ctx) => ctx.tx.execute(sql`select 1 as one`)), [{ one: 1 }]);
});

test.serial('transactions that cannot begin return their connections to the pool', async (t) => {
  const { ctx, services } = t.context;
  for (let time = 0; time < 5; time += 1)
    await dieAt(services, 1, () => transact(ctx, (ctx) => ctx.tx.execute(sql`select 1`)));
  t.deepEqual(await read(ctx, sql`select 1 as one`), [{ one: 1 }]);
});

test.serial('BEGIN goes to PostgreSQL with the first statement, and COMMIT with the last ones', async (t) => {
  const { ctx } = t.context;
  const client = await ctx.database.pool.connect();
  const writes = countWrites(client.connection.stream);
  client.release();
  const results = await transact(ctx, async ({ tx }) => {
    tx.changes.push(sql`select 2 as two`);
    return tx.execute(sql`select 1 as one`);
  });
  t.deepEqual(results, [{ one: 1 }]);
  t.is(writes.count, 2);
});

/** Counts how often something is handed to the operating system. */
function countWrites(socket: Duplex): { readonly count: number } {
  const writes = { count: 0 };
  for (const name of ['_write', '_writev'] as const) {
    const write = (socket[name] as (...given: unknown[]) => void).bind(socket);
    socket[name] = (...given: unknown[]) => {
      writes.count += 1;
      write(...given);
    };
  }
  return writes;
}
