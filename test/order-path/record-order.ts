import { purchaseLabel } from '#jobs/labels.ts';
import { reconcilePaymentEvent } from '#jobs/payments.ts';
import { readOne } from '#src/database/transact.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Context } from '#src/domain/context.ts';
import { sql } from '#src/lib/sql.ts';
import { handledEventTypes } from '#src/providers/stripe/events.ts';
import type { Services } from '#src/services.ts';
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

/**
 * Buy twice, and record what the second order executes: the first loads and caches what later ones share.
 * @param stripeUrl where the simulator of Stripe is
 * @returns the names of the executed functions by file
 */
export async function recordOrder(
  services: Services,
  stripeUrl: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const api = await serveApi(services, { isRecorded: false });
  const relay = startRelay(services);
  const workers = startWorkers(
    services,
    [reconcilePaymentEvent.queue, purchaseLabel.queue],
    processors.filter(({ job }) => [reconcilePaymentEvent.name, purchaseLabel.name].includes(job.name)),
  );
  try {
    const buy = await openStore(services, api, stripeUrl);
    await buy();
    return await executedFunctions(buy);
  } finally {
    await Promise.all([api.close(), relay.close(), workers.close(1000)]);
  }
}

/** @returns one shopper's order, from the checkout to the purchased label */
async function openStore(
  services: Services,
  api: Awaited<ReturnType<typeof serveApi>>,
  stripeUrl: string,
): Promise<() => Promise<void>> {
  const ctx: Context = { ...services.context(), tenant: await buildTenant(services) };
  const account = await buildPaymentAccount(ctx);
  await buildShippingAccount(ctx);
  const product = await buildProduct(ctx);
  const key = await buildKey(ctx, ['checkout:write'], 'publishable');
  const control = stripeControl(stripeUrl);
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
