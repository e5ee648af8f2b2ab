import type { Body } from '#src/client/src/index.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { errorOf, type Step, waitFor } from './journey.ts';

const subscriber = 'linus@shopper.example';
const londoner = 'edsger@shopper.example';
const address = { line1: '10 Downing St', city: 'London', postal_code: 'SW1A 2AA', country: 'GB' };

/** A monthly subscription, and no second one by mistake. */
export function subscription(): readonly Step[] {
  let request: Body<'createCheckoutSession'> = { items: [] };

  return [
    {
      title: 'A shopper subscribes to coffee and buys a bowl with it',
      async run({ storefront, stack, receiver, check }) {
        const variantOf = async (slug: string) => (await storefront.getProduct(slug)).product.variants[0]?.id ?? null;
        request = {
          customer_email: subscriber,
          items: [
            {
              product_slug: 'coffee-of-the-month',
              variant_id: await variantOf('coffee-of-the-month'),
              quantity: 1,
              purchase_type: 'subscription',
              subscription_interval: 'month',
            },
            { product_slug: 'oak-bowl', variant_id: await variantOf('oak-bowl'), quantity: 1 },
          ],
        };
        const session = await storefront.createCheckoutSession(request);
        await stripeControl(stack.stripeUrl).pay(session.checkout_url.split('/').at(-1) ?? '', {
          outcome: 'paid',
          email: subscriber,
        });
        const event = await waitFor('subscription.created', async () =>
          receiver.eventsOf('subscription.created').at(0),
        );
        check(
          event.data.object.status === 'active',
          'the webhook subscription.created arrives; the subscription is active',
        );
      },
    },
    {
      title: 'A second subscription to the same coffee is rejected',
      async run({ storefront, check }) {
        const { status, code, body } = await errorOf(storefront.createCheckoutSession(request));
        check(status === 409 && code === 'duplicate_subscription', '409 duplicate_subscription');
        const name = body.conflicts?.[0]?.product_name ?? '';
        check(name.length > 0, `the error names "${name}"`);
      },
    },
  ];
}

/** An international order, whose label an operator has to buy. */
export function international(): readonly Step[] {
  return [
    {
      title: 'An order from London is paid and waits for an operator',
      async run({ storefront, server, stack, check }) {
        const { product } = await storefront.getProduct('stoneware-mug');
        const session = await storefront.createCheckoutSession({
          customer_email: londoner,
          items: [{ product_slug: product.slug, variant_id: product.variants[0]?.id ?? null, quantity: 1 }],
        });
        await stripeControl(stack.stripeUrl).pay(session.checkout_url.split('/').at(-1) ?? '', {
          outcome: 'paid',
          email: londoner,
          name: 'Edsger',
          address,
        });
        const order = await waitFor('the order to need attention', async () => {
          const { order } = await server.getOrder(session.order_id);
          return order.fulfillment_status === 'needs_attention' && order;
        });
        check(
          order.status === 'paid' && order.labels.length === 0,
          'it stays paid, and no label is bought automatically',
        );
        const page = await fetch(`${stack.url}/ops/labels`);
        check(
          (await page.text()).includes(order.order_number),
          `${order.order_number} is on /ops/labels with what to do`,
        );
      },
    },
  ];
}
