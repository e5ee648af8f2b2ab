import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { type Step, waitFor } from './journey.ts';

const shopper = 'ada@shopper.example';
const address = { line1: '1 Market St', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' };

/** A purchase from browsing to delivery: what the service is for. */
export function purchase(): readonly Step[] {
  let slug = '';
  let variantId = '';
  let cartId = '';
  let orderId = '';
  let checkoutUrl = '';

  return [
    {
      title: 'A shopper browses the catalogue',
      async run({ call, check }) {
        const list = await call('GET', '/products?limit=50');
        const product = list.body.products.find((candidate: any) => candidate.slug === 'oak-bowl');
        check(
          list.status === 200 && list.body.products.length >= 10,
          `${list.body.products.length} products are listed`,
        );
        slug = product.slug;
        const detail = await call('GET', `/products/${slug}`);
        variantId = detail.body.product.variants[0].id;
        check(detail.body.product.variants[0].price_cents > 0, `"${detail.body.product.name}" has prices and variants`);
      },
    },
    {
      title: 'The shopper adds two bowls to a cart',
      async run({ call, check }) {
        const cart = await call('POST', '/cart', { body: {} });
        cartId = cart.body.cart.id;
        const filled = await call('POST', `/cart/${cartId}/items`, {
          body: { variantId, quantity: '2', unitPriceCents: '1' },
        });
        check(filled.status === 201 && filled.body.cart.itemCount === 2, 'the cart holds two');
        check(
          filled.body.cart.items[0].unitPriceCents > 1,
          'at the price of the catalogue; the price in the request is ignored',
        );
      },
    },
    {
      title: 'The shopper tries a promo code',
      async run({ call, check }) {
        const {
          body: { cart },
        } = await call('GET', `/cart/${cartId}`);
        const preview = await call('POST', '/cart/apply-promo', {
          body: { code: 'WELCOME10', subtotalCents: cart.subtotalCents },
        });
        check(preview.body.valid, `WELCOME10 takes ${preview.body.discountCents} off ${cart.subtotalCents} cents`);
      },
    },
    {
      title: 'The shopper checks out',
      async run({ call, check }) {
        const session = await call('POST', '/checkout/sessions', {
          body: {
            items: [{ product_slug: slug, variant_id: variantId, quantity: 2 }],
            customer_email: shopper,
            promo_code: 'WELCOME10',
            cart_id: cartId,
          },
        });
        check(
          session.status === 200 && session.body.order.status === 'pending',
          `order ${session.body.order_number} is pending`,
        );
        orderId = session.body.order_id;
        checkoutUrl = session.body.checkout_url;
        check(URL.canParse(checkoutUrl), 'the response has the URL of the hosted payment page');
      },
    },
    {
      title: 'The shopper pays on the hosted page',
      async run({ stack, check }) {
        const page = await fetch(checkoutUrl);
        check(page.ok && (await page.text()).includes('Pay'), 'the page loads');
        const sessionId = checkoutUrl.split('/').at(-1) ?? '';
        await stripeControl(stack.stripeUrl).pay(sessionId, {
          outcome: 'paid',
          email: shopper,
          name: 'Ada Shopper',
          address,
        });
        check(true, 'the card is accepted');
      },
    },
    {
      title: 'The signed webhook marks the order as paid',
      async run({ call, check }) {
        const status = await waitFor('the order to be paid', async () => {
          const { body } = await call('GET', `/checkout/${orderId}/status`);
          return body.status === 'paid' && body;
        });
        check(status.payment_status === 'paid' && status.paid_at !== null, `paid at ${status.paid_at}`);
      },
    },
    {
      title: 'The cheapest label is bought',
      async run({ call, stack, check }) {
        const label = await waitFor('the label', async () => {
          const { body } = await call('GET', `/orders/${orderId}`, { key: 'secret' });
          return body.order.labels[0];
        });
        const account = await shippoControl(stack.shippoUrl).account(stack.store.shippoKey);
        check(
          account.transactions.length === 1,
          `one label was bought: ${label.carrier} ${label.service}, ${label.tracking_number}`,
        );
      },
    },
    {
      title: 'The owner receives the webhook order.paid',
      async run({ receiver, check }) {
        const event = await waitFor('order.paid', async () =>
          receiver.events.find(({ type, data }) => type === 'order.paid' && data.object['id'] === orderId),
        );
        check(
          receiver.rejected === 0,
          `${event.id} has a valid Standard Webhooks signature, verified with its library`,
        );
        check(event.data.object['status'] === 'paid', 'and has the present state of the order');
      },
    },
    {
      title: 'The parcel moves, and the order is shipped',
      async run({ call, stack, receiver, check }) {
        const {
          body: { order },
        } = await call('GET', `/orders/${orderId}`, { key: 'secret' });
        await shippoControl(stack.shippoUrl).moveTrack(order.labels[0].tracking_number, 'TRANSIT');
        await waitFor('the order to be shipped', async () => {
          const { body } = await call('GET', `/checkout/${orderId}/status`);
          return body.fulfillment_status === 'shipped';
        });
        await waitFor('order.shipped', async () =>
          receiver.events.find(({ type, data }) => type === 'order.shipped' && data.object['id'] === orderId),
        );
        check(true, 'order.shipped was received and verified');
      },
    },
  ];
}
