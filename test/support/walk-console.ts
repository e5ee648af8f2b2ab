import type { Page } from 'playwright-core';

import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { clientsOf } from './clients-of.ts';
import { until } from './until.ts';

/** The owner of the demo store. */
export const owner = 'owner@cedar.example';

/** The pages of the console: the URL's fragment, the heading, and a name for a picture. */
export const consolePages = [
  ['/', 'Today', 'today'],
  ['/orders', 'Orders', 'orders'],
  ['/labels', 'Labels that wait', 'labels'],
  ['/returns', 'Returns', 'returns'],
  ['/products', 'Products', 'products'],
  ['/products/create', 'New product', 'product-new'],
  ['/products/oak-bowl/show', 'Oak bowl', 'product'],
  ['/content', 'Content', 'content'],
  ['/content/article%2Fcare-for-wood/show', 'How to care for wood', 'content-entry'],
  ['/promo-codes', 'Promo codes', 'promo-codes'],
  ['/gift-cards', 'Gift cards', 'gift-cards'],
  ['/reviews', 'Reviews', 'reviews'],
  ['/customers', 'Customers', 'customers'],
  ['/subscriptions', 'Subscriptions', 'subscriptions'],
  ['/leads', 'Leads', 'leads'],
  ['/wholesale', 'Wholesale inquiries', 'wholesale'],
  ['/waitlist', 'Waitlist', 'waitlist'],
  ['/partners', 'Partners', 'partners'],
  ['/partner-applications', 'Partner applications', 'partner-applications'],
  ['/suppressions', 'Suppressed emails', 'suppressions'],
  ['/webhooks', 'Webhooks', 'webhooks'],
  ['/analytics', 'Analytics', 'analytics'],
  ['/bulk-changes', 'Bulk changes', 'bulk-changes'],
  ['/imports', 'Imports', 'imports'],
  ['/exports', 'Exports', 'exports'],
  ['/staff', 'Staff', 'staff'],
  ['/settings', 'Settings', 'settings'],
  ['/settings/shipping', 'Settings', 'settings-shipping'],
  ['/settings/payments', 'Settings', 'settings-payments'],
  ['/settings/reminders', 'Settings', 'settings-reminders'],
  ['/settings/integrations', 'Settings', 'settings-integrations'],
  ['/settings/keys', 'Settings', 'settings-keys'],
  ['/audit-log', 'Audit log', 'audit-log'],
  ['/my-account', 'My account', 'account'],
] as const;

/** Sign in with the link that arrives in the mailbox. */
export async function signInToConsole(page: Page, stack: Stack, email: string): Promise<void> {
  await page.goto(`${stack.url}/admin?store=${stack.store.slug}`);
  await page.getByLabel('Email').fill(email);
  const link = await linkFrom(stack, email, () => page.getByRole('button', { name: 'Email me a link' }).click());
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Today').waitFor();
}

/** The sign-in link that an email has after this. */
export async function linkFrom({ mailboxUrl }: Stack, email: string, send: () => Promise<void>): Promise<string> {
  const mailbox = mailboxControl(mailboxUrl);
  const filter = { to: email, subject: 'Sign in to the admin' };
  const before = (await mailbox.messages(filter)).length;
  await send();
  const message = await until(async () => (await mailbox.messages(filter))[before], { what: 'the sign-in link' });
  return /http\S+\/admin#\S+/.exec(message.text ?? '')?.[0] ?? '';
}

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Wait until a page of the console shows what it was opened for. */
export async function openInConsole(page: Page, stack: Stack, path: string, title: string): Promise<void> {
  await page.goto(`${stack.url}/admin#${path}`);
  await heading(page, title).waitFor();
  await page.getByRole('progressbar', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await page.getByText('Loading…').waitFor({ state: 'detached' });
}

/** A paid order of a mug to this address. */
export async function buyMug(
  stack: Stack,
  buyer: { email: string; name: string; address: Record<string, string> },
): Promise<{ id: string; number: string }> {
  const { storefront } = clientsOf(stack);
  const { product } = await storefront.getProduct('stoneware-mug');
  const session = await storefront.createCheckoutSession({
    customer_email: buyer.email,
    items: [{ product_slug: product.slug, variant_id: product.variants[0]?.id ?? null, quantity: 1 }],
  });
  const id = session.checkout_url.split('/').at(-1) ?? '';
  await stripeControl(stack.stripeUrl).pay(id, { outcome: 'paid', ...buyer });
  return { id: session.order_id, number: session.order_number };
}
