import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { type Step, waitFor } from './journey.ts';

const buyer = 'ada@shopper.example';
const visitor = 'grace@shopper.example';

/** A shopper signs in without a password. */
export function account(): readonly Step[] {
  let session = '';

  return [
    {
      title: 'The shopper gets a receipt and requests a sign-in link',
      async run({ call, stack, check }) {
        const receipt = await waitFor('the receipt', async () => {
          const mails = await mailboxControl(stack.mailboxUrl).messages({ to: buyer });
          return mails.find(({ subject }) => subject === 'Your order ORD-1001');
        });
        check(receipt.html !== null && receipt.text !== null, `"${receipt.subject}" arrived, as HTML and as text`);
        const requested = await call('POST', '/customer/magic-link/request', { body: { email: buyer } });
        const unknown = await call('POST', '/customer/magic-link/request', {
          body: { email: 'unknown@shopper.example' },
        });
        check(
          requested.status === 200 && JSON.stringify(requested.body) === JSON.stringify(unknown.body),
          'an unknown email gets the same response',
        );
      },
    },
    {
      title: 'The shopper signs in with the link in the email',
      async run({ call, stack, check }) {
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: buyer, subject: 'Sign in' }, 60_000);
        const link = /https?:\/\/\S+token=([\w.-]+)/.exec(mail.text ?? '');
        const consumed = await call('POST', '/customer/magic-link/consume', { body: { token: link?.[1] } });
        check(consumed.status === 200, 'the link opens a session');
        session = consumed.body.session_token;
        const again = await call('POST', '/customer/magic-link/consume', { body: { token: link?.[1] } });
        check(again.status === 400 && again.body.error === 'invalid_or_expired_token', 'and works only once');
      },
    },
    {
      title: 'The shopper finds the order in the portal',
      async run({ call, check }) {
        const portal = await call('GET', '/customer-portal', { session });
        check(
          portal.body.orders.some((order: any) => order.order_number === 'ORD-1001'),
          'ORD-1001 is listed',
        );
        await call('POST', '/customer/signout', { session });
        const after = await call('GET', '/customer/me', { session });
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
      async run({ call, stack, check }) {
        const {
          body: { product },
        } = await call('GET', '/products/stoneware-mug');
        const saved = await call('POST', '/cart/save', {
          body: {
            email: visitor,
            items: [{ product_slug: product.slug, variant_id: product.variants[0].id, quantity: 2, price_cents: 100 }],
          },
        });
        check(saved.status === 200 && saved.body.reminders === 'scheduled', 'reminders are scheduled');
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
      async run({ call, stack, check }) {
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: visitor });
        const token = /https?:\/\/\S+\/cart\/restore\S*token=([\w.-]+)/.exec(mail.text ?? '')?.[1];
        const restored = await call('GET', `/cart/restore?token=${token}`);
        check(restored.status === 200 && restored.body.saved_cart.items[0].quantity === 2, 'with its two mugs');
      },
    },
  ];
}
