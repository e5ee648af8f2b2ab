import anyTest, { type TestFn } from 'ava';

import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { sessionOf } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildEndpoint, countStates, receiverFor } from '#test/support/factories/webhooks.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test, {}, { mailer: fakeMailer(), shipping: fakeShippingGateway() });

/** What the relay, the ticks and the caches send, however many orders there are. */
const byTheClock =
  /^\s*(with\s+recursive\s+queue|update payment_sessions set checks = checks \+ 1|select id, slug, name)/;

test.serial('an order from the cart to its label, email and events costs so many jobs and statements', async (t) => {
  const { ctx, services, stripe, api } = t.context;
  await buildShippingAccount(ctx);
  const receiver = await receiverFor(t);
  const endpoint = await buildEndpoint(ctx, receiver, { events: ['order.*', 'label.*'] });
  const product = await buildProduct(ctx);
  const key = await buildKey(ctx, ['cart:read', 'cart:write', 'checkout:write']);
  const costs: [what: string, statements: number][] = [];

  async function count<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const { result, statements } = await countStatements(services, work);
    costs.push([what, statements.filter((statement) => !byTheClock.test(statement)).length]);
    return result;
  }
  const call = async (method: string, path: string, body?: object) =>
    (await api.call(method, `/api/v1${path}`, { key, body })).body;

  async function buy(email: string): Promise<string[]> {
    const line = { product_slug: product.slug, variant_id: product.variant.id, quantity: 1 };
    const cartId = await count('cart', async () => {
      const { cart } = await call('POST', '/cart', {});
      await call('POST', `/cart/${cart.id}/items`, { variantId: product.variant.id, quantity: 1 });
      await call('GET', `/cart/${cart.id}`);
      return cart.id;
    });
    const { order_id: orderId } = await count('checkout', () =>
      call('POST', '/checkout/sessions', { items: [line], customer_email: email, cart_id: cartId }),
    );
    const { sessionId } = await sessionOf(ctx, orderId);
    await count('event', async () => {
      await stripe.pay(sessionId ?? '', { ...shopper, email, outcome: 'paid' });
      await stripe.idle();
    });
    const ran: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const [first, ...others] = await count(`round ${round + 1}`, () => runJobs(services, { rounds: 1 }));
      if (first) ran.push(first, ...others);
    }
    return ran.toSorted();
  }

  // What the first order finds in no cache is not counted.
  await buy('ada@example.com');
  costs.length = 0;
  t.deepEqual(await buy('bea@example.com'), [
    'emails.send-mail: done',
    'labels.purchase-label: done',
    'payments.reconcile-payment-event: done',
    'webhooks.drain-endpoint: done',
  ]);
  t.deepEqual(await countStates(ctx, endpoint.id), { delivered: 4 });
  const total = costs.reduce((sum, [, statements]) => sum + statements, 0);
  t.log(`${total} statements: ${costs.map(([what, statements]) => `${what} ${statements}`).join(', ')}`);
  // 52, and a few more when a minute begins or a cached row is read again meanwhile.
  t.true(total <= 57, `${total} statements`);
});
