import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { type Step, waitFor } from './journey.ts';

const shopper = 'edsger@shopper.example';
const address = { line1: '10 Downing St', city: 'London', postal_code: 'SW1A 2AA', country: 'GB' };

/** A parcel across the border is for a person to send. */
export function international(): readonly Step[] {
  return [
    {
      title: 'An order from London is paid, and waits for a person',
      async run({ ask, stack, check }) {
        const {
          body: { product },
        } = await ask('GET', '/products/stoneware-mug');
        const session = await ask('POST', '/checkout/sessions', {
          body: {
            customer_email: shopper,
            items: [{ product_slug: product.slug, variant_id: product.variants[0].id, quantity: 1 }],
          },
        });
        await stripeControl(stack.stripeUrl).pay(session.body.checkout_url.split('/').at(-1), {
          outcome: 'paid',
          email: shopper,
          name: 'Edsger',
          address,
        });
        const order = await waitFor('the order to ask for a person', async () => {
          const { body } = await ask('GET', `/orders/${session.body.order_id}`, { key: 'secret' });
          return body.order.fulfillment_status === 'needs_attention' && body.order;
        });
        check(order.status === 'paid' && order.labels.length === 0, 'it stays paid, and no label was bought by itself');
        const page = await fetch(`${stack.url}/ops/labels`);
        check(
          (await page.text()).includes(order.order_number),
          `${order.order_number} stands on /ops/labels with what to do`,
        );
      },
    },
  ];
}
