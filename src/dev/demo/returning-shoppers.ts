import { type CustomerSession, createSession } from '#src/client/src/index.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { errorOf, type Step, waitFor } from './journey.ts';

const buyer = 'ada@shopper.example';
const visitor = 'grace@shopper.example';

/** A shopper signs in without a password. */
export function account(): readonly Step[] {
  const visit = new Map<string, string>();
  let session: CustomerSession;

  return [
    {
      title: 'The shopper gets a receipt and requests a sign-in link',
      async run({ storefront, stack, check }) {
        const receipt = await waitFor('the receipt', async () => {
          const mails = await mailboxControl(stack.mailboxUrl).messages({ to: buyer });
          return mails.find(({ subject }) => subject === 'Your order ORD-1001');
        });
        check(receipt.html !== null && receipt.text !== null, `"${receipt.subject}" arrived, as HTML and as text`);
        const requested = await storefront.requestMagicLink({ email: buyer });
        const unknown = await storefront.requestMagicLink({ email: 'unknown@shopper.example' });
        check(JSON.stringify(requested) === JSON.stringify(unknown), 'an unknown email gets the same response');
      },
    },
    {
      title: 'The shopper signs in with the link in the email',
      async run({ storefront, stack, check }) {
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: buyer, subject: 'Sign in' }, 60_000);
        const [, token = ''] = /https?:\/\/\S+token=([\w.-]+)/.exec(mail.text ?? '') ?? [];
        session = createSession(storefront, {
          getItem: (name) => visit.get(name) ?? null,
          setItem: (name, value) => visit.set(name, value),
          removeItem: (name) => visit.delete(name),
        });
        const customer = await session.signIn({ token });
        check(customer.email === buyer, 'the link opens a session');
        const again = await errorOf(storefront.consumeMagicLink({ token }));
        check(again.status === 400 && again.code === 'invalid_or_expired_token', 'and works only once');
      },
    },
    {
      title: 'The shopper finds the order in the portal',
      async run({ storefront, check }) {
        const portal = await storefront.getCustomerPortal();
        check(
          portal.orders.some((order) => order.order_number === 'ORD-1001'),
          'ORD-1001 is listed',
        );
        const signedIn = new Map(visit);
        await session.signOut();
        for (const [name, value] of signedIn) visit.set(name, value);
        const after = await errorOf(storefront.getCustomer());
        check(after.status === 401, 'after signing out, the session is invalid');
      },
    },
  ];
}

/** A shopper leaves with a full cart, gets one reminder and restores the cart. */
export function abandonedCart(): readonly Step[] {
  return [
    {
      title: 'Another shopper saves a cart, leaves and gets a reminder',
      async run({ storefront, stack, check }) {
        const { product } = await storefront.getProduct('stoneware-mug');
        const saved = await storefront.saveCart({
          email: visitor,
          items: [
            { product_slug: product.slug, variant_id: product.variants[0]?.id ?? null, quantity: 2, price_cents: 100 },
          ],
        });
        check(saved.reminders === 'scheduled', 'reminders are scheduled');
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: visitor }, 60_000);
        check(
          mail.headers['list-unsubscribe-post'] === 'List-Unsubscribe=One-Click',
          `"${mail.subject}" supports one-click unsubscribing`,
        );
        check(!mail.text?.includes('$1.00'), 'and shows the prices of the catalogue');
      },
    },
    {
      title: 'The link in the email restores the cart',
      async run({ storefront, stack, check }) {
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: visitor });
        const [, token = ''] = /https?:\/\/\S+\/cart\/restore\S*token=([\w.-]+)/.exec(mail.text ?? '') ?? [];
        const { saved_cart: restored } = await storefront.restoreCart({ token });
        check(restored.items[0]?.quantity === 2, 'with its two mugs');
      },
    },
  ];
}
