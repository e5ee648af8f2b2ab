import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import type { Step } from './journey.ts';

const shopper = 'grace@shopper.example';

/** Somebody leaves with a full cart, is reminded once, and finds it as it was. */
export function abandonedCart(): readonly Step[] {
  return [
    {
      title: 'Somebody saves a cart and leaves; a reminder comes',
      async run({ ask, stack, check }) {
        const {
          body: { product },
        } = await ask('GET', '/products/stoneware-mug');
        const saved = await ask('POST', '/cart/save', {
          body: {
            email: shopper,
            items: [{ product_slug: product.slug, variant_id: product.variants[0].id, quantity: 2, price_cents: 100 }],
          },
        });
        check(saved.status === 200 && saved.body.reminders === 'scheduled', 'reminders are scheduled');
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: shopper }, 60_000);
        check(
          mail.headers['list-unsubscribe-post'] === 'List-Unsubscribe=One-Click',
          `"${mail.subject}" can be unsubscribed from with one click`,
        );
        check(!mail.text?.includes('$1.00'), 'and shows the prices of the catalogue');
      },
    },
    {
      title: 'The link of the mail brings the cart back',
      async run({ ask, stack, check }) {
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: shopper });
        const token = /https?:\/\/\S+\/cart\/restore\S*token=([\w.-]+)/.exec(mail.text ?? '')?.[1];
        const restored = await ask('GET', `/cart/restore?token=${token}`);
        check(restored.status === 200 && restored.body.saved_cart.items[0].quantity === 2, 'two mugs are in it');
      },
    },
  ];
}
