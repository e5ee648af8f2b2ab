import { createHmac } from 'node:crypto';
import type { Context } from '#src/domain/context.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { report, sideBySide } from './lib/side-by-side.ts';
import { withFloor } from './lib/with-floor.ts';

/*
 * Signed events of the payment provider at 50 connections, each accepted once: verified and stored with its job,
 * against a bare server that inserts and commits.
 */

const { rounds, seconds } = readBenchmark('inbound-webhooks');
const bench = await startBench();
try {
  const tenant = await buildTenant(bench.services);
  const ctx: Context = { ...bench.services.context(), tenant };
  const { webhookSecret } = await buildPaymentAccount(ctx);
  let number = 0;
  const nextEvent = (path: string) => () => {
    number += 1;
    const created = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({
      id: `evt_${number}`,
      object: 'event',
      type: 'checkout.session.completed',
      created,
      livemode: false,
      data: {
        object: {
          id: `cs_test_${number}`,
          object: 'checkout.session',
          metadata: { platform_tenant_id: tenant.id, platform_order_id: 'ord_1', platform_environment: 'test' },
        },
      },
    });
    const signature = createHmac('sha256', webhookSecret).update(`${created}.${body}`).digest('hex');
    return { path, body, headers: { 'stripe-signature': `t=${created},v1=${signature}` } };
  };

  await withFloor(bench, { FLOOR_TENANT: tenant.id }, async (service, floor) => {
    const common = { method: 'POST' as const, headers: { 'content-type': 'application/json' } };
    const bare = { ...floor, ...common, name: 'Koa, inserting and committing', next: nextEvent('/events') };
    const accepting = {
      ...service,
      ...common,
      name: 'accepting an event',
      next: nextEvent(`/api/webhooks/stripe/${tenant.slug}`),
    };
    report(await sideBySide([bare, accepting], { rounds, seconds }), 0.5);
  });
} finally {
  await bench.stop();
}
