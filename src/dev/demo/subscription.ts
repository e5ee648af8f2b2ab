import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { type Step, waitFor } from './journey.ts';

const shopper = 'linus@shopper.example';

/** Coffee every month, and no second subscription to it by mistake. */
export function subscription(): readonly Step[] {
  let request: object = {};

  return [
    {
      title: 'Somebody subscribes to coffee, with a bowl beside it',
      async run({ ask, stack, receiver, check }) {
        const coffee = (await ask('GET', '/products/coffee-of-the-month')).body.product.variants[0];
        const bowl = (await ask('GET', '/products/oak-bowl')).body.product.variants[0];
        request = {
          customer_email: shopper,
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
        const session = await ask('POST', '/checkout/sessions', { body: request });
        await stripeControl(stack.stripeUrl).pay(session.body.checkout_url.split('/').at(-1), {
          outcome: 'paid',
          email: shopper,
        });
        const event = await waitFor('subscription.created', async () =>
          receiver.events.find(({ type }) => type === 'subscription.created'),
        );
        check(event.data.object['status'] === 'active', 'subscription.created came, and it is active');
      },
    },
    {
      title: 'and is kept from subscribing to it twice',
      async run({ ask, check }) {
        const again = await ask('POST', '/checkout/sessions', { body: request });
        check(again.status === 409 && again.body.error === 'duplicate_subscription', '409 duplicate_subscription');
        check(
          again.body.conflicts[0].product_name.length > 0,
          `the conflict names "${again.body.conflicts[0].product_name}"`,
        );
      },
    },
  ];
}
