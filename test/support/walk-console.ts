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
  ['/labels', 'Labels on hold', 'labels'],
  ['/returns', 'Returns', 'returns'],
  ['/products', 'Products', 'products'],
  ['/products/create', 'New product', 'product-new'],
  ['/products/oak-bowl/show', 'Oak bowl', 'product'],
  ['/content', 'Content', 'content'],
  ['/content/create', 'New entry', 'content-new'],
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
  ['/erasures', 'Personal data', 'erasures'],
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

/** The pages of records of a store that has sold and has an endpoint: of the newest orders, and one of every other kind. */
export async function recordPages(
  stack: Stack,
  ordersMax = 1,
): Promise<(readonly [path: string, title: string, name: string])[]> {
  const { admin } = clientsOf(stack);
  const [{ orders }, { customers }, { webhook_endpoints: endpoints }] = await Promise.all([
    admin.listOrders({ limit: ordersMax }),
    admin.listCustomers({ limit: 1 }),
    admin.listWebhookEndpoints({ limit: 1 }),
  ]);
  const { bulk_change: change } = await admin.previewBulkChange({
    kind: 'prices',
    filter: {},
    change: { percent: -10 },
  });
  const { export: exported } = await admin.createExport({ kind: 'stock', format: 'csv' });
  const { erasure } = await admin.previewErasure({ email: 'nobody@kinds.example' });
  const imported = await importFile(stack, 'stock', 'sku,change\nBOWL-L,1\nUNKNOWN,1\n');
  await until(async () => (await admin.getImport(imported)).import.finished_at, { what: 'the import' });
  await until(async () => (await admin.getExport(exported.id)).export.finished_at, { what: 'the export' });
  return [
    ...orders.map(({ id, order_number: number }) => [`/orders/${id}/show`, number, `order-${number}`] as const),
    ...customers.map(({ id, name, email }) => [`/customers/${id}/show`, name ?? email, 'customer'] as const),
    ...endpoints.map(({ id, url }) => [`/webhooks/${id}/show`, new URL(url).host, 'webhook'] as const),
    ...orders.slice(0, 1).map(({ id }) => [`/packing-slips/${id}`, 'Packing slip', 'packing-slip'] as const),
    [`/bulk-changes/${change.id}/show`, 'Change prices', 'bulk-change'],
    [`/exports/${exported.id}/show`, 'Export of stock', 'export'],
    [`/erasures/${erasure.id}/show`, 'Erasure of nobody@kinds.example', 'erasure'],
    [`/imports/${imported}/show`, 'Import of stock', 'import'],
  ];
}

/** The client, which tries again where a busy machine responds 503, sends no files. @returns the id of the import */
async function importFile({ url, store }: Stack, kind: string, body: string): Promise<string> {
  const send = () =>
    fetch(`${url}/api/v1/admin/imports?kind=${kind}&format=csv&dry_run=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${store.secretKey}`, 'content-type': 'text/csv' },
      body,
    });
  const response = await until(() => send().then((sent) => (sent.status === 503 ? undefined : sent)));
  return ((await response.json()) as { import: { id: string } }).import.id;
}

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
  // The parts of a page have one heading, which may still be that of the part before.
  await page.locator(`[role=tab][href="#${path}"]:not([aria-selected=true])`).waitFor({ state: 'detached' });
  // To find it by its role, Playwright would compute those of everything that is there, several times.
  await page.locator('[role=progressbar][aria-label=Loading]').first().waitFor({ state: 'detached' });
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
