import { readConfig } from '#src/config.ts';
import type { Context } from '#src/domain/context.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices, type Services } from '#src/services.ts';
import { serveApi, type TestApi } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { type FakeShipping, fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { processors } from '#workers/processors.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

/** A store with a relay, label workers and the board, as in production; only the parcel provider is a fake. */
export interface LabelFixture {
  services: Services;
  ctx: Context;
  api: TestApi;
  shipping: FakeShipping;
  /** The failed jobs of the label queue, as the board returns them to a browser. */
  failed(): Promise<{ id: string; failedReason: string; data: object }[]>;
  close(): Promise<void>;
}

/** Its waits are none, so that what would take hours is seen at once. */
const noWaits = { LABEL_RETRY_SCHEDULE: '0s,0s,0s', LABEL_LOOKUP_GRACE: '0s' };

export async function openLabelFixture(environment: Record<string, string> = {}): Promise<LabelFixture> {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const shipping = fakeShippingGateway();
  const config = readConfig(
    testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url, ...noWaits, ...environment }),
  );
  const services = await createServices(config, 'test', { log: silentLog, timeouts, ports: { shipping } });
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  const relay = startRelay(services, { pollEveryMs: 20, healEveryMs: 20 });
  const workers = startWorkers(services, ['labels'], processors);
  const api = await serveApi(services);
  await buildShippingAccount(ctx);
  return {
    services,
    ctx,
    api,
    shipping,
    async failed() {
      const { body } = await api.call('GET', '/ops/queues/api/queues?activeQueue=labels&status=failed&jobsPerPage=100');
      return body.queues.find(({ name }: { name: string }) => name === 'labels').jobs;
    },
    async close() {
      await api.close();
      await Promise.all([workers.close(1000), relay.close()]);
      await services.close();
      await database.drop();
    },
  };
}
