import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { type Step, waitFor } from './journey.ts';

const shopper = 'ada@shopper.example';

/** The shopper comes back without a password. */
export function account(): readonly Step[] {
  let session = '';

  return [
    {
      title: 'The shopper has a receipt, and asks for a link to sign in',
      async run({ ask, stack, check }) {
        const receipt = await waitFor('the receipt', async () => {
          const mails = await mailboxControl(stack.mailboxUrl).messages({ to: shopper });
          return mails.find(({ subject }) => subject === 'Your order ORD-1001');
        });
        check(receipt.html !== null && receipt.text !== null, `"${receipt.subject}" came, as HTML and as text`);
        const asked = await ask('POST', '/customer/magic-link/request', { body: { email: shopper } });
        const stranger = await ask('POST', '/customer/magic-link/request', {
          body: { email: 'nobody@shopper.example' },
        });
        check(
          asked.status === 200 && JSON.stringify(asked.body) === JSON.stringify(stranger.body),
          'a stranger is answered just the same',
        );
      },
    },
    {
      title: 'signs in from the mailbox',
      async run({ ask, stack, check }) {
        const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: shopper, subject: 'Sign in' }, 60_000);
        const link = /https?:\/\/\S+token=([\w.-]+)/.exec(mail.text ?? '');
        const consumed = await ask('POST', '/customer/magic-link/consume', { body: { token: link?.[1] } });
        check(consumed.status === 200, 'the link of the mail opens a session');
        session = consumed.body.session_token;
        const again = await ask('POST', '/customer/magic-link/consume', { body: { token: link?.[1] } });
        check(again.status === 400 && again.body.error === 'invalid_or_expired_token', 'and works once only');
      },
    },
    {
      title: 'and finds the order in the portal',
      async run({ ask, check }) {
        const portal = await ask('GET', '/customer-portal', { session });
        check(
          portal.body.orders.some((order: any) => order.order_number === 'ORD-1001'),
          'ORD-1001 is there',
        );
        await ask('POST', '/customer/signout', { session });
        const after = await ask('GET', '/customer/me', { session });
        check(after.status === 401, 'after signing out the session is worth nothing');
      },
    },
  ];
}
