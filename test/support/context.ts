import type { TestFn } from 'ava';

import { readConfig } from '#src/config.ts';
import type { Context } from '#src/domain/context.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import type { Tenant } from '#src/domain/tenants/index.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices, type Services } from '#src/services.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { createTestDatabase } from './database.ts';
import { testEnvironment, timeouts } from './environment.ts';
import { reportDrift } from './report-drift.ts';
import { buildTenant } from './tenant.ts';
import { until } from './until.ts';

/** What a test gets that needs a store and its services. */
export interface TestContext {
  services: Services;
  clock: TestClock;
  tenant: Tenant;
  /** The context of the test's own tenant. */
  ctx: Context;
}

/**
 * Give a test file a database of its own, and each test a tenant of its own, so that tests run side by side without
 * seeing each other's rows. `ports` are fakes of the outside world.
 */
export function useContext(
  test: TestFn<TestContext>,
  options: { ports?: Partial<Ports>; environment?: Record<string, string> } = {},
): void {
  let services: Services;
  let drop: () => Promise<void>;
  let running = 0;
  let runSideBySide = false;
  const clock = createTestClock(() => {
    if (runSideBySide) throw new Error('Tests that run beside this one share its clock: move it in a test.serial.');
  });

  test.before(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    const config = readConfig(testEnvironment({ DATABASE_URL: database.url, ...options.environment }));
    services = await createServices(config, 'test', {
      clock,
      log: silentLog,
      ports: options.ports ?? {},
      checkResponses: reportDrift,
      timeouts,
    });
    // Until it is connected, or cannot be, requests are counted in the process.
    await until(() => !['wait', 'connecting', 'connect'].includes(services.redis.status), { what: 'Redis' });
  });
  // Serial, so that a file's own hooks find the context.
  test.serial.beforeEach(async (t) => {
    running += 1;
    // The serial ones have ended when these begin, all together.
    if (running > 1) runSideBySide = true;
    const tenant = await buildTenant(services);
    t.context = { services, clock, tenant, ctx: { ...services.context(), tenant } };
  });
  test.afterEach.always(() => {
    running -= 1;
    clock.go();
  });
  test.after.always(async () => {
    await services?.close();
    await drop?.();
  });
}
