import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Redis } from 'ioredis';
import pg from 'pg';
import { removeStores as removeStoresJob } from '#jobs/retention.ts';
import { readConfig } from '#src/config.ts';
import { asPlatform } from '#src/database/transact.ts';
import { startReceiver } from '#src/dev/demo/receiver.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { runCli } from '#src/dev/stack/run-cli.ts';
import { demoStoreFile, type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { silentLog } from '#src/lib/log.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { createServices } from '#src/services.ts';
import { tablesOf } from '#test/concurrency/read-rows.ts';
import { seededRandom } from '#test/support/random.ts';
import { until } from '#test/support/until.ts';
import { quickSchedules } from './quick-schedules.ts';
import { sendShoppers } from './shoppers.ts';

/** So many rows that their deletion takes several runs of the job. */
const rows = 250_000;

test('a store is removed whatever is killed, beside another one with the same accounts, and its slug is used again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'remove-store-'));
  const receiver = await startReceiver();
  const environment = { ...quickSchedules, RATE_LIMIT_SCALE: '100' };
  const stack = await startStack(receiver, { workers: 'all', environment });
  const services = await createServices(readConfig({ ...stack.environment }), 'test', { log: silentLog });
  const cli = async (...words: string[]) => JSON.parse(await runCli([...words, '--json'], stack.environment));
  // One connection, and another after that broke: PostgreSQL is restarted.
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, options: '-c app.platform=on', max: 1 });
  pool.on('error', () => undefined);
  t.teardown(async () => {
    await Promise.all([pool.end(), services.close()]);
    await stack.stop();
    receiver.close();
    rmSync(folder, { recursive: true });
  });
  const query = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;
  const slug = stack.store.slug;

  // Another store with the same accounts at Stripe and Shippo.
  const file = join(folder, 'second.yaml');
  const second = 'second-store';
  writeFileSync(file, readFileSync(demoStoreFile, 'utf8').replace(/^ {2}slug: .*$/m, `  slug: ${second}`));
  const keys: { name: string; value: string }[] = (await cli('apply', file)).keys;
  await cli('webhooks:register', second);
  await shippoControl(stack.shippoUrl).registerWebhook(stack.store.shippoKey, {
    url: `${stack.url}/api/webhooks/shippo/${second}?token=${stack.environment['SHIPPO_WEBHOOK_TOKEN']}`,
  });
  const keyNamed = (name: string) => keys.find((key) => key.name === name)?.value ?? '';
  const other: Stack = {
    ...stack,
    store: { ...stack.store, slug: second, publishableKey: keyNamed('storefront'), secretKey: keyNamed('backend') },
  };
  const idOf = async (slug: string): Promise<string> =>
    (await query('select id from tenants where slug = $1', [slug]))[0]?.id;
  const [removedId, otherId] = [await idOf(slug), await idOf(second)];

  const purchased = async (id: string, count: number) =>
    until(
      async () =>
        (await query(`select from labels where tenant_id = $1 and state = 'purchased'`, [id])).length === count,
      { what: `${count} labels of ${id}` },
    );
  const sendTwo = (of: Stack, firstNumber: number) =>
    sendShoppers(of, seededRandom(firstNumber), { count: 2, atOnce: 2, firstNumber, allPay: true });
  const ended = await sendTwo(stack, 0);
  const bought = await sendTwo(other, 100);
  await purchased(removedId, ended.length);
  await purchased(otherId, bought.length);
  const secretsBefore = await query('select * from payment_webhook_secrets where tenant_id = $1', [otherId]);

  await query(
    `insert into audit_log (tenant_id, id, actor_kind, actor_id, action, subject_kind, subject_id, created_at)
    select $1, 'aud_' || number, 'operator', 'cli', 'store.closed', 'store', $2, now()
    from generate_series(1, $3::int) as number`,
    [removedId, slug, rows],
  );
  await cli('tenants', 'close', slug);
  await query(`update tenants set closed_at = closed_at - interval '5 minutes' where id = $1`, [removedId]);
  const { removed } = await cli('tenants', 'remove', slug, '--yes');
  t.true(removed);

  const left = async () =>
    (await query('select count(*)::int as count from audit_log where tenant_id = $1', [removedId]))[0].count;
  const kill = async (name: string) => {
    await stack.processes.get(name)?.kill('SIGKILL');
    await stack.restart(name);
  };
  const faults: (readonly [string, () => Promise<unknown>])[] = [
    ['killed the worker', () => kill('worker')],
    [
      'flushed Redis',
      async () => {
        const redis = new Redis(stack.redisUrl);
        await redis.flushall();
        redis.disconnect();
      },
    ],
    ['killed the worker', () => kill('worker')],
    ['restarted PostgreSQL', () => stack.restartPostgres()],
    ['killed the worker', () => kill('worker')],
    // Last, as rows are deleted while it starts again.
    ['killed web', () => kill('web')],
  ];
  for (const [what, injure] of faults) {
    const before = await left();
    await injure();
    t.log(`${what} with ${before} rows left`);
    await until(async () => (await left()) < before || before === 0, {
      what: `the removal to go on after it ${what}`,
      everyMs: 200,
    });
  }

  // The second store sells meanwhile.
  bought.push(...(await sendTwo(other, 200)));
  const tables = await tablesOf(services);
  const rowsLeft = async () => {
    const counts = await Promise.all(
      tables.map(async (name) => [
        name,
        (await query(`select from ${name} where tenant_id = $1 limit 1`, [removedId])).length,
      ]),
    );
    return counts.filter(([, count]) => count);
  };
  await until(async () => (await rowsLeft()).length === 0, { what: 'all rows to be deleted', everyMs: 1000 });
  await purchased(otherId, bought.length);
  t.deepEqual(await query('select * from payment_webhook_secrets where tenant_id = $1', [otherId]), secretsBefore);
  const delivered = () =>
    query(
      `select from payment_events where tenant_id = $1 and source = 'webhook' and received_at > (
        select removed_at from removed_stores where id = $2)`,
      [otherId, removedId],
    );
  // On a busy machine the sweep may find the events of a payment before they are delivered.
  const isDelivered = async (firstNumber: number) => {
    if ((await delivered()).length > 0) return true;
    bought.push(...(await sendTwo(other, firstNumber)));
    await purchased(otherId, bought.length);
    return false;
  };
  let firstNumber = 200;
  await until(() => isDelivered((firstNumber += 100)), { what: 'an event of the second store to be delivered' });

  // An hour later the slug is free.
  await t.throwsAsync(runCli(['apply', demoStoreFile], stack.environment), {
    message: /is that of a store that was removed/,
  });
  await query(`update removed_stores set removed_at = removed_at - interval '1 hour' where id = $1`, [removedId]);
  await asPlatform(services.context(), 'a test', async ({ tx, clock }) =>
    enqueue({ tx, clock }, removeStoresJob, { period: clock.now().getTime() }),
  );
  await until(async () => (await idOf(slug)) === undefined, { what: 'the slug to be free' });
  const again: { name: string; value: string }[] = (await cli('apply', demoStoreFile)).keys;
  const call = (path: string, key: string) =>
    fetch(`${stack.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status);
  const storefront = again.find(({ name }) => name === 'storefront')?.value ?? '';
  await until(async () => (await call('/products', storefront)) === 200, { what: 'the new store to be served' });
  t.is(await call('/products', stack.store.publishableKey), 401);
  t.is(await call('/products', other.store.publishableKey), 200);
  t.deepEqual(await rowsLeft(), []);
  t.is((await cli('tenants', 'list', '--removed')).removed_stores.length, 1);
});
