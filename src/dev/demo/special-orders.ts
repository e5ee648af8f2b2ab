import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { type Step, waitFor } from './journey.ts';

const subscriber = 'linus@shopper.example';
const londoner = 'edsger@shopper.example';
const address = { line1: '10 Downing St', city: 'London', postal_code: 'SW1A 2AA', country: 'GB' };

/** A monthly subscription, and no second one by mistake. */
export function subscription(): readonly Step[] {
  let request: object = {};

  return [
    {
      title: 'A shopper subscribes to coffee and buys a bowl with it',
      async run({ call, stack, receiver, check }) {
        const coffee = (await call('GET', '/products/coffee-of-the-month')).body.product.variants[0];
        const bowl = (await call('GET', '/products/oak-bowl')).body.product.variants[0];
        request = {
          customer_email: subscriber,
          items: [
            {
              product_slug: 'coffee-of-the-month',
              variant_id: coffee.id,
              quantity: 1,
              purchase_type: 'subscription',
              subscription_interval: 'month',
            },
            { product_slug: 'oak-bowl', variant_id: bowl.id, quantity: 1 },
          ],
        };
        const session = await call('POST', '/checkout/sessions', { body: request });
        await stripeControl(stack.stripeUrl).pay(session.body.checkout_url.split('/').at(-1), {
          outcome: 'paid',
          email: subscriber,
        });
        const event = await waitFor('subscription.created', async () =>
          receiver.events.find(({ type }) => type === 'subscription.created'),
        );
        check(
          event.data.object['status'] === 'active',
          'the webhook subscription.created arrives; the subscription is active',
        );
      },
    },
    {
      title: 'A second subscription to the same coffee is rejected',
      async run({ call, check }) {
        const again = await call('POST', '/checkout/sessions', { body: request });
        check(again.status === 409 && again.body.error === 'duplicate_subscription', '409 duplicate_subscription');
        check(
          again.body.conflicts[0].product_name.length > 0,
          `the error names "${again.body.conflicts[0].product_name}"`,
        );
      },
    },
  ];
}

/** An international order, whose label an operator has to buy. */
export function international(): readonly Step[] {
  return [
    {
      title: 'An order from London is paid and waits for an operator',
      async run({ call, stack, check }) {
        const {
          body: { product },
        } = await call('GET', '/products/stoneware-mug');
        const session = await call('POST', '/checkout/sessions', {
          body: {
            customer_email: londoner,
            items: [{ product_slug: product.slug, variant_id: product.variants[0].id, quantity: 1 }],
          },
        });
        await stripeControl(stack.stripeUrl).pay(session.body.checkout_url.split('/').at(-1), {
          outcome: 'paid',
          email: londoner,
          name: 'Edsger',
          address,
        });
        const order = await waitFor('the order to need attention', async () => {
          const { body } = await call('GET', `/orders/${session.body.order_id}`, { key: 'secret' });
          return body.order.fulfillment_status === 'needs_attention' && body.order;
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
