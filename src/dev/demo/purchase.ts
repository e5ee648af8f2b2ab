import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { type Step, waitFor } from './journey.ts';

const shopper = 'ada@shopper.example';
const address = { line1: '1 Market St', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' };

/** From the shelf to the doorstep: what the service is for. */
export function purchase(): readonly Step[] {
  let slug = '';
  let variantId = '';
  let cartId = '';
  let orderId = '';
  let checkoutUrl = '';

  return [
    {
      title: 'A shopper browses the catalogue',
      async run({ ask, check }) {
        const list = await ask('GET', '/products?limit=50');
        const product = list.body.products.find((candidate: any) => candidate.slug === 'oak-bowl');
        check(
          list.status === 200 && list.body.products.length >= 10,
          `${list.body.products.length} products are listed`,
        );
        slug = product.slug;
        const detail = await ask('GET', `/products/${slug}`);
        variantId = detail.body.product.variants[0].id;
        check(detail.body.product.variants[0].price_cents > 0, `"${detail.body.product.name}" has prices and variants`);
      },
    },
    {
      title: 'puts two of it into a cart',
      async run({ ask, check }) {
        const cart = await ask('POST', '/cart', { body: {} });
        cartId = cart.body.cart.id;
        const filled = await ask('POST', `/cart/${cartId}/items`, {
          body: { variantId, quantity: '2', unitPriceCents: '1' },
        });
        check(filled.status === 201 && filled.body.cart.itemCount === 2, 'the cart holds two');
        check(filled.body.cart.items[0].unitPriceCents > 1, 'at the price of the catalogue, whatever the caller said');
      },
    },
    {
      title: 'tries a promo code',
      async run({ ask, check }) {
        const {
          body: { cart },
        } = await ask('GET', `/cart/${cartId}`);
        const preview = await ask('POST', '/cart/apply-promo', {
          body: { code: 'WELCOME10', subtotalCents: cart.subtotalCents },
        });
        check(preview.body.valid, `WELCOME10 takes ${preview.body.discountCents} off ${cart.subtotalCents} cents`);
      },
    },
    {
      title: 'checks out',
      async run({ ask, check }) {
        const session = await ask('POST', '/checkout/sessions', {
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
        check(URL.canParse(checkoutUrl), 'the answer leads to the hosted payment page');
      },
    },
    {
      title: 'pays on the hosted page',
      async run({ stack, check }) {
        const page = await fetch(checkoutUrl);
        check(page.ok && (await page.text()).includes('Pay'), 'the page can be opened');
        const sessionId = checkoutUrl.split('/').at(-1) ?? '';
        await stripeControl(stack.stripeUrl).pay(sessionId, {
          outcome: 'paid',
          email: shopper,
          name: 'Ada Shopper',
          address,
        });
        check(true, 'the card works');
      },
    },
    {
      title: 'and the order becomes paid by the signed webhook',
      async run({ ask, check }) {
        const status = await waitFor('the order to be paid', async () => {
          const { body } = await ask('GET', `/checkout/${orderId}/status`);
          return body.status === 'paid' && body;
        });
        check(status.payment_status === 'paid' && status.paid_at !== null, `paid at ${status.paid_at}`);
      },
    },
    {
      title: 'The cheapest label is bought',
      async run({ ask, stack, check }) {
        const label = await waitFor('the label', async () => {
          const { body } = await ask('GET', `/orders/${orderId}`, { key: 'secret' });
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
      title: 'The owner hears order.paid',
      async run({ receiver, check }) {
        const event = await waitFor('order.paid', async () =>
          receiver.events.find(({ type, data }) => type === 'order.paid' && data.object['id'] === orderId),
        );
        check(
          receiver.refused === 0,
          `${event.id} is signed by the Standard Webhooks scheme and verified with its library`,
        );
        check(event.data.object['status'] === 'paid', 'and shows the order as it is now');
      },
    },
    {
      title: 'The parcel moves, and the order is shipped',
      async run({ ask, stack, receiver, check }) {
        const {
          body: { order },
        } = await ask('GET', `/orders/${orderId}`, { key: 'secret' });
        await shippoControl(stack.shippoUrl).moveTrack(order.labels[0].tracking_number, 'TRANSIT');
        await waitFor('the order to be shipped', async () => {
          const { body } = await ask('GET', `/checkout/${orderId}/status`);
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
