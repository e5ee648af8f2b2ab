import type { Page } from 'playwright-core';

import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { until } from './until.ts';

/** Called at every stop of a walk with its name, to take a screenshot. */
export type Capture = (name: string) => Promise<void>;

export interface Walk {
  readonly page: Page;
  readonly stack: Pick<Stack, 'storefrontUrl' | 'mailboxUrl'>;
  /** The email of a new shopper. */
  readonly email: string;
  readonly capture: Capture;
}

const address = {
  Phone: '4155550100',
  'Full name': 'Ada Shopper',
  Address: '1 Market St',
  City: 'San Francisco',
  'State or region': 'CA',
  'Postal code': '94105',
};

/** A purchase from browsing to the paid order and its label, in the browser: each wait is an expectation. */
export async function buyOnStorefront({ page, stack, email, capture }: Walk): Promise<{ orderNumber: string }> {
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  await page.goto(stack.storefrontUrl);
  await page.getByRole('link', { name: /Oak bowl/ }).waitFor();
  await page.waitForLoadState('networkidle');
  await capture('storefront-shelf');

  await page.getByRole('searchbox').fill('wood for bread');
  await page.getByRole('searchbox').press('Enter');
  const found = page.getByRole('link', { name: /Walnut cutting board/ });
  // On a busy machine a search by meaning takes too long, and its results are left out.
  await until(async () => {
    if (!(await found.isVisible())) await page.reload({ waitUntil: 'networkidle' });
    return found.isVisible();
  });
  await capture('storefront-search');

  await page.goto(`${stack.storefrontUrl}/products/stoneware-mug`);
  await page.getByText('Ink', { exact: true }).click();
  await page.getByText('Sold out', { exact: true }).waitFor();
  await capture('storefront-sold-out');

  await page.goto(`${stack.storefrontUrl}/products/oak-bowl`);
  await page.getByText('Medium', { exact: true }).click();
  await button('Add to cart').click();
  await page.getByRole('link', { name: 'Go to the cart' }).waitFor();
  await capture('storefront-product');

  await page.getByRole('link', { name: 'Go to the cart' }).click();
  await button('One more of Oak bowl, Medium').click();
  await page.getByText('$98.00').first().waitFor();
  await page.getByLabel('Promo code').fill('SPRING25');
  await button('Apply').first().click();
  await page.getByText('This code is no longer valid.').waitFor();
  await capture('storefront-cart-refused-code');
  await page.getByLabel('Promo code').fill('WELCOME10');
  await button('Apply').first().click();
  await page.getByText('−$9.80').waitFor();
  await capture('storefront-cart');

  await page.getByLabel('Email, for the receipt').fill(email);
  await button('Check out').click();
  await page.getByRole('heading', { name: 'Pay' }).waitFor();
  await page.getByText('Total due today').waitFor();
  await capture('payment-page');
  await payOnHostedPage(page);

  const heading = page.getByRole('heading', { name: /^Order ORD-/ });
  await heading.waitFor();
  await capture('storefront-order-placed');
  await page.getByText('Packed and labelled.').waitFor();
  await capture('storefront-order-packed');
  return { orderNumber: ((await heading.textContent()) ?? '').replace('Order ', '') };
}

/** The shopper fills in the address and pays; the page returns to the storefront. */
export async function payOnHostedPage(page: Page): Promise<void> {
  for (const [label, text] of Object.entries(address)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Pay with a card that works' }).click();
}

/** The parcel is handed over and delivered, and the order page follows. */
export async function receiveParcel({ page, capture }: Walk): Promise<void> {
  await page.getByRole('button', { name: 'Hand it to the carrier' }).click();
  await page.getByText('It is on its way to you.').waitFor();
  await page.getByRole('button', { name: 'Deliver it' }).click();
  await page.getByText('It has arrived.').waitFor();
  await capture('storefront-order-delivered');
}

/** The shopper requests a link, opens it from the mailbox, and sees the order in the account. */
export async function signInOnStorefront(
  { page, stack, email, capture }: Walk,
  { orderNumber }: { orderNumber: string },
): Promise<void> {
  await page.goto(`${stack.storefrontUrl}/account`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await capture('storefront-sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await capture('storefront-sign-in-sent');

  const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: email, subject: 'Sign in' }, 60_000);
  await page.goto(`${stack.mailboxUrl}/messages/${mail.id}`);
  const link = page.frameLocator('iframe').getByRole('link', { name: 'Sign in' });
  await page.goto((await link.getAttribute('href')) ?? '');
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor();
  await capture('storefront-account');
  await page.getByText(orderNumber).click();
  await page.getByText('Return items').click();
  await capture('storefront-account-order');
}

/** Half of what was bought goes back. */
export async function requestReturnInPage({ page, capture }: Walk): Promise<void> {
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Request a return' }).click();
  await page.getByText(/^RMA-/).waitFor();
  await capture('storefront-account-return');
}
