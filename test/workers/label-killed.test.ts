import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import test from 'ava';

import { readConfig } from '#src/config.ts';
import { silentLog } from '#src/lib/log.ts';
import { shippoControl } from '#src/local/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/local/simulators/shippo/simulator.ts';
import { createServices } from '#src/services.ts';
import { labelOf, request } from '#test/domain/shipping/support.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

const worker = fileURLToPath(new URL('../../workers/all.ts', import.meta.url));

test('a worker that is killed while labels are being bought costs no second label', async (t) => {
  t.timeout(90_000);
  const [database, redis, simulator] = await Promise.all([createTestDatabase(), createTestRedis(), startShippoSimulator()]);
  const control = shippoControl(simulator.url);
  const environment = testEnvironment({
    DATABASE_URL: database.url, REDIS_URL: redis.url, SHIPPO_API_BASE: simulator.url,
    LABEL_BUY_TIMEOUT: '1s', LABEL_LOOKUP_GRACE: '1s', LABEL_RETRY_SCHEDULE: '0s,1s,1s,1s',
  });
  const services = await createServices(readConfig(environment), 'test', { log: silentLog });
  const processes: ChildProcess[] = [];
  const start = () => {
    const started = spawn(process.execPath, [worker], { env: { PATH: process.env['PATH'], ...environment }, stdio: 'ignore' });
    processes.push(started);
    return started;
  };
  t.teardown(async () => {
    for (const started of processes) if (started.exitCode === null) started.kill('SIGKILL');
    await services.close();
    await simulator.close();
    await database.drop();
  });

  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  const { api_key } = await buildShippingAccount(ctx);
  // One label is sold without an answer, one request never arrives, and the rest is answered late.
  await control.fault({ match: 'POST /transactions', account: api_key, kind: 'hang', after: true });
  await control.fault({ match: 'POST /transactions', account: api_key, kind: 'hang' });
  await control.fault({ match: 'POST /transactions', account: api_key, kind: 'delay', ms: 900, after: true, times: 3 });
  const orders = await Promise.all(Array.from({ length: 6 }, () => request(ctx)));

  const first = start();
  await until(async () => (await control.requests('POST /transactions')).length >= 3, { withinMs: 30_000, what: 'purchases under way' });
  first.kill('SIGKILL');
  await once(first, 'exit');
  start();
  for (const { order } of orders) {
    await until(async () => (await labelOf(ctx, order.id)).state === 'purchased', { withinMs: 60_000, what: 'every label to be bought' });
  }
  t.is((await control.account(api_key)).labels_bought, orders.length);
});
