import { randomUUID } from 'node:crypto';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Random } from '#test/support/random.ts';
import { until } from '#test/support/until.ts';
import { requestUntilAccepted } from './shoppers.ts';

/** What a visitor did without buying. */
export interface Visit {
  readonly sessionId: string;
  /** How many events the storefront sent, each of them twice. */
  readonly events: number;
  /** The sign-in link that the visitor requested: for whom, what the email had, and how often it opened a session. */
  readonly link: { readonly email: string; readonly token: string; readonly openings: number } | undefined;
}

const eventTypes = ['product_viewed', 'cart_item_added', 'checkout_started'];

/** Visitors, one after the other: each sends events and saves a cart, and every other one signs in as a customer. */
export async function sendVisitors(stack: Stack, random: Random, { count }: { count: number }): Promise<Visit[]> {
  const { products } = (await requestUntilAccepted(stack, 'GET', '/products?limit=100')) as {
    products: { slug: string }[];
  };
  const visits: Visit[] = [];
  for (let number = 1; number <= count; number += 1) {
    const sessionId = `visit-${number}`;
    const { slug } = random.pick(products);
    const events = eventTypes.map((type) => ({
      event_id: randomUUID(),
      type,
      session_id: sessionId,
      product_slug: slug,
    }));
    for (const _ of [1, 2])
      await requestUntilAccepted(stack, 'POST', '/analytics/events', { body: { events }, asShopper: true });
    const saved = {
      email: `visitor-${number}@chaos.example`,
      session_id: sessionId,
      items: [{ product_slug: slug, quantity: 1 }],
    };
    await requestUntilAccepted(stack, 'POST', '/cart/save', { body: saved, asShopper: true });
    visits.push({ sessionId, events: events.length, link: number % 2 === 0 ? await signIn(stack, random) : undefined });
  }
  return visits;
}

/**
 * Follow a link three times at once, as a double click and an email scanner do, if its email arrives meanwhile. Undefined
 * when there is no customer.
 */
async function signIn(stack: Stack, random: Random): Promise<Visit['link']> {
  const customers = await until(() => findCustomers(stack), { everyMs: 500 }).catch(() => []);
  if (customers.length === 0) return undefined;
  const { email } = random.pick(customers);
  await requestUntilAccepted(stack, 'POST', '/customer/magic-link/request', { body: { email }, asShopper: true });
  const mail = await mailboxControl(stack.mailboxUrl)
    .waitForMessage({ to: email, subject: 'Sign in' }, 5000)
    .catch(() => undefined);
  const token = /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
  if (!token) return { email, token, openings: 0 };
  const opened = await Promise.all(
    [1, 2, 3].map(() =>
      requestUntilAccepted(stack, 'POST', '/customer/magic-link/consume', { body: { token }, asShopper: true }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return { email, token, openings: opened.filter(Boolean).length };
}

/** Undefined until a shopper has paid. */
async function findCustomers(stack: Stack): Promise<{ email: string }[] | undefined> {
  const { customers } = (await requestUntilAccepted(stack, 'GET', '/admin/customers?limit=100')) as {
    customers: { email: string }[];
  };
  return customers.length > 0 ? customers : undefined;
}
