import { readFileSync } from 'node:fs';

import { purchaseLabel } from '#jobs/labels.ts';
import { reconcilePaymentEvent } from '#jobs/payments.ts';
import { readOptions } from '#src/cli/lib/script-options.ts';
import { readOne } from '#src/database/transact.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import type { Context } from '#src/domain/context.ts';
import { sql } from '#src/lib/sql.ts';
import { handledEventTypes } from '#src/providers/stripe/events.ts';
import type { Services } from '#src/services.ts';
import { startBench } from '#test/bench/lib/bench-environment.ts';
import { serveApi } from '#test/support/api.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount, sessionOf } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { shopper } from '#test/support/use-stripe.ts';
import { processors } from '#workers/processors.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';
import { executedFunctions } from './executed-functions.ts';

/* `npm run order-path`: how many files an engineer has to read to follow an order from its checkout to its label. */

const { limit } = readOptions(
  'Buys twice, on services of its own, and prints the files and functions that the second order executes, from its\n' +
    'checkout to its label. Exits with 1 when the path has more files than the limit.',
  'npm run order-path --',
  { limit: { default: 75, description: 'Maximum number of files of the path.' } },
  '--limit 70',
);

/** Whose files count, and what serves every request and job alike. */
const pathFolders = ['jobs', 'src/database', 'src/domain', 'src/outbox', 'src/providers', 'workers'];
const otherFolders = ['src/api', 'src/lib', 'src/platform'];

const [stripe, shippo] = await Promise.all([startStripeSimulator(), startShippoSimulator()]);
const bench = await startBench({ STRIPE_API_BASE: stripe.url, SHIPPO_API_BASE: shippo.url });
try {
  const files = await recordOrder(bench.services);
  const count = report('of the path', pathFolders, files);
  report('beside it', otherFolders, files);
  console.log(`\n${count} files of the path; the limit is ${limit}.`);
  process.exitCode = count > limit ? 1 : 0;
} finally {
  await bench.stop();
  await Promise.all([stripe.close(), shippo.close()]);
}

/** The first order loads and caches what later ones share, so the second is recorded. */
async function recordOrder(services: Services): Promise<ReadonlyMap<string, readonly string[]>> {
  const api = await serveApi(services, { isRecorded: false });
  const relay = startRelay(services);
  const workers = startWorkers(
    services,
    [reconcilePaymentEvent.queue, purchaseLabel.queue],
    processors.filter(({ job }) => [reconcilePaymentEvent.name, purchaseLabel.name].includes(job.name)),
  );
  try {
    const buy = await openStore(services, api);
    await buy();
    return await executedFunctions(buy);
  } finally {
    await Promise.all([api.close(), relay.close(), workers.close(1000)]);
  }
}

/** @returns one shopper's order, from the checkout to the purchased label */
async function openStore(services: Services, api: Awaited<ReturnType<typeof serveApi>>): Promise<() => Promise<void>> {
  const ctx: Context = { ...services.context(), tenant: await buildTenant(services) };
  const account = await buildPaymentAccount(ctx);
  await buildShippingAccount(ctx);
  const product = await buildProduct(ctx);
  const key = await buildKey(ctx, ['checkout:write'], 'publishable');
  const control = stripeControl(stripe.url);
  await control.addWebhookEndpoint(account.secretKey, {
    url: `${api.url}/api/webhooks/stripe/${ctx.tenant.slug}`,
    secret: account.webhookSecret,
    events: handledEventTypes,
  });

  return async () => {
    const { status, body } = await api.call('POST', '/api/v1/checkout/sessions', {
      key,
      body: { items: [{ product_slug: product.slug, quantity: 1 }], customer_email: shopper.email },
    });
    if (status !== 200) throw new Error(`The checkout: ${status} ${JSON.stringify(body)}`);
    const { sessionId } = await sessionOf(ctx, body.order_id);
    await control.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
    await until(() => isLabelPurchased(ctx, body.order_id), { what: 'the label' });
  };
}

async function isLabelPurchased(ctx: Context, orderId: string): Promise<boolean> {
  const label = await readOne<{ state: string }>(
    ctx,
    sql`select state from labels where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
  return label?.state === 'purchased';
}

/** Prints the executed files of these folders with their lines and functions. @returns how many files there are */
function report(what: string, folders: readonly string[], files: ReadonlyMap<string, readonly string[]>): number {
  const counts = folders.map((folder) => {
    const executed = [...files].filter(([path, names]) => path.startsWith(`${folder}/`) && names.length > 0);
    console.log(`\n${folder}: ${executed.length}`);
    for (const [path, names] of executed.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const lines = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').split('\n').length - 1;
      const named = [...new Set(names.filter(Boolean))];
      console.log(`  ${String(lines).padStart(4)} ${path}  ${named.join(' ')}`);
    }
    return executed.length;
  });
  const count = counts.reduce((sum, each) => sum + each, 0);
  console.log(`\n${folders.map((folder, index) => `${folder} ${counts[index]}`).join(', ')}: ${count} files ${what}`);
  return count;
}
