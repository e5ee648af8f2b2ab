import { waitForOrder } from '#src/client/src/index.ts';
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
      async run({ storefront, check }) {
        const { products } = await storefront.listProducts({ limit: 50 });
        slug = products.find((product) => product.slug === 'oak-bowl')?.slug ?? '';
        check(products.length >= 10, `${products.length} products are listed`);
        const { product } = await storefront.getProduct(slug);
        const [variant] = product.variants;
        variantId = variant?.id ?? '';
        check((variant?.price_cents ?? 0) > 0, `"${product.name}" has prices and variants`);
      },
    },
    {
      title: 'The shopper adds two bowls to a cart',
      async run({ storefront, check }) {
        cartId = (await storefront.createCart()).cart.id;
        const { cart } = await storefront.addCartItem(cartId, { variantId, quantity: '2', unitPriceCents: '1' });
        check(cart.itemCount === 2, 'the cart holds two');
        check(
          (cart.items[0]?.unitPriceCents ?? 0) > 1,
          'at the price of the catalogue; the price in the request is ignored',
        );
      },
    },
    {
      title: 'The shopper tries a promo code',
      async run({ storefront, check }) {
        const { cart } = await storefront.getCart(cartId);
        const promo = await storefront.previewPromoCode({ code: 'WELCOME10', subtotalCents: cart.subtotalCents });
        check(promo.valid, `WELCOME10 takes ${promo.discountCents} off ${cart.subtotalCents} cents`);
      },
    },
    {
      title: 'The shopper checks out',
      async run({ storefront, check }) {
        const session = await storefront.createCheckoutSession({
          items: [{ product_slug: slug, variant_id: variantId, quantity: 2 }],
          customer_email: shopper,
          promo_code: 'WELCOME10',
          cart_id: cartId,
        });
        check(session.order.status === 'pending', `order ${session.order_number} is pending`);
        orderId = session.order_id;
        checkoutUrl = session.checkout_url;
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
      async run({ storefront, check }) {
        const status = await waitForOrder(storefront, orderId);
        check(status.payment_status === 'paid' && status.paid_at !== null, `paid at ${status.paid_at}`);
      },
    },
    {
      title: 'The cheapest label is bought',
      async run({ server, stack, check }) {
        const label = await waitFor('the label', async () => {
          const { order } = await server.getOrder(orderId);
          return order.labels[0];
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
          receiver.eventsOf('order.paid').find(({ data }) => data.object.id === orderId),
        );
        check(
          receiver.rejected === 0,
          `${event.id} has a valid Standard Webhooks signature, verified with its library`,
        );
        check(event.data.object.status === 'paid', 'and has the present state of the order');
      },
    },
    {
      title: 'The parcel moves, and the order is shipped',
      async run({ storefront, server, stack, receiver, check }) {
        const { order } = await server.getOrder(orderId);
        await shippoControl(stack.shippoUrl).moveTrack(order.labels[0]?.tracking_number ?? '', 'TRANSIT');
        await waitFor('the order to be shipped', async () => {
          const { fulfillment_status: status } = await storefront.getCheckoutStatus(orderId);
          return status === 'shipped';
        });
        await waitFor('order.shipped', async () =>
          receiver.eventsOf('order.shipped').find(({ data }) => data.object.id === orderId),
        );
        check(true, 'order.shipped was received and verified');
      },
    },
  ];
}
