import type { Page } from 'playwright-core';
import type { Body } from '#src/client/src/index.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import { buyMug, openInConsole } from '#test/support/walk-console.ts';
import {
  abroad,
  browserTest,
  button,
  confirm,
  dialog,
  doVerified,
  openConsole,
  openOwnTab,
  openRejectingEndpoint,
  openTab,
  signIn,
  verifyAfter,
} from './fixture.ts';

browserTest('two people who edit one product see both versions, and decide', async (t) => {
  const { stack } = t.context;
  const first = await openConsole(t);
  const second = await openTab(t, first);
  for (const page of [first, second]) await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  const category = (page: Page) => page.getByLabel('Category');
  const was = (page: Page) => page.getByLabel('Was (USD)').first();
  await category(first).fill('bowls');
  await was(first).fill('99');
  await first.getByRole('textbox', { name: 'Description', exact: true }).fill('Turned from oak.');
  await button(first, 'Save').click();
  await first.getByText('Product saved.').waitFor();

  await category(second).fill('tableware');
  await was(second).fill('98');
  await button(second, 'Save').click();
  const row = dialog(second).getByRole('row', { name: /Category/ });
  await row.waitFor();
  t.deepEqual(await row.getByRole('cell').allTextContents(), ['Category', 'bowls', 'tableware']);
  const price = dialog(second).getByRole('row', { name: 'Was' });
  t.deepEqual(await price.getByRole('cell').allTextContents(), ['Variants, 1, Was (USD)', '$99.00', '$98.00']);
  await confirm(second, 'Save yours');
  await second.getByText('Product saved.').waitFor();
  const { product } = await clientsOf(stack).admin.getProduct('oak-bowl');
  t.is(product.category, 'tableware');
  t.is(product.description, 'Turned from oak.');
});

browserTest('who edits an entry that has been changed meanwhile may take the other version', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/content/article%2Fcare-for-wood/show', 'How to care for wood');
  const { entry } = await admin.getEntry('article', 'care-for-wood');
  await admin.replaceEntry('article', 'care-for-wood', { ...entry, author: 'Theirs' });

  const author = page.getByLabel('Author');
  await author.fill('Mine');
  await button(page, 'Save').click();
  const row = dialog(page).getByRole('row', { name: /Author/ });
  await row.waitFor();
  t.deepEqual(await row.getByRole('cell').allTextContents(), ['Author', 'Theirs', 'Mine']);
  await confirm(page, 'Use theirs');
  await page.getByText('Entry saved.').waitFor();
  t.is(await author.inputValue(), 'Theirs');
  t.is((await admin.getEntry('article', 'care-for-wood')).entry.author, 'Theirs');
});

browserTest(
  'who corrects the postal code of an order keeps the street that another member corrected meanwhile',
  async (t) => {
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    const order = await buyMug(stack, abroad);
    const found = await until(async () => {
      const { order: found } = await admin.getOrder(order.id);
      return found.fulfillment_status === 'needs_attention' ? found : undefined;
    });
    const page = await openConsole(t);
    await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
    await page.locator('section', { hasText: 'Shipping address' }).getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Postal code').fill('SW1A 2AB');
    await dialog(page).getByLabel('Buy the label again').uncheck();
    await admin.replaceShippingAddress(order.id, {
      ...(found.shipping_address as Body<'admin.replaceShippingAddress'>),
      street1: '11 Downing St',
    });
    await page.getByText('11 Downing St').waitFor();
    await confirm(page, 'Save');
    await page.getByText('Address saved.').waitFor();
    t.like((await admin.getOrder(order.id)).order.shipping_address, { street1: '11 Downing St', zip: 'SW1A 2AB' });
  },
);

browserTest(
  'what another member changed of an account stays when its keys are replaced or its terms edited',
  async (t) => {
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    const page = await signIn(t);
    const shippingPage = await openTab(t, page);
    await openInConsole(shippingPage, stack, '/settings/shipping', 'Settings');
    await openInConsole(page, stack, '/settings/payments', 'Settings');
    await button(page, 'Edit').click();
    await dialog(page).getByLabel('How long a shopper has to pay').fill('90m');
    await button(shippingPage, 'Replace the keys').click();
    await dialog(shippingPage).getByLabel('Webhook token').fill('a-third-token');

    const other = await openTab(t, page);
    await openInConsole(other, stack, '/settings/shipping', 'Settings');
    await other.getByLabel(/^Price limit of labels/).fill('41');
    await verifyAfter(other, stack, () => button(other, 'Save').click());
    await other.getByText('Shipping saved.').waitFor();
    await other.getByRole('tab', { name: 'Payments' }).click();
    // The page before has a button of the same name.
    await other.getByRole('heading', { name: 'Payments' }).waitFor();
    await button(other, 'Replace the keys').click();
    const publishable = `pk_test_${'b'.repeat(24)}`;
    await dialog(other).getByLabel('Publishable key').fill(publishable);
    await confirm(other, 'Replace the keys');
    await other.getByText('Keys replaced.').waitFor();

    await confirm(page, 'Save');
    await page.getByText('Payments saved.').waitFor();
    await confirm(shippingPage, 'Replace the keys');
    await shippingPage.getByText('Keys replaced.').waitFor();
    const { payments, shipping } = (await admin.getProviders()).providers;
    t.like(payments, { publishable_key: publishable, session_lifetime: '90m' });
    t.is(shipping?.label_cost_cap_cents, 4100);
  },
);

browserTest(
  'terms of payment that another member changed stay, though the page is read again in between',
  async (t) => {
    const { stack } = t.context;
    const page = await openOwnTab(t);
    await openInConsole(page, stack, '/settings/payments', 'Settings');
    await button(page, 'Edit').click();
    await dialog(page).getByLabel('Let the provider calculate tax').check();

    const other = await openOwnTab(t);
    await openInConsole(other, stack, '/settings/payments', 'Settings');
    await button(other, 'Edit').click();
    await dialog(other).getByLabel('How long a shopper has to pay').fill('95m');
    await doVerified(other, stack, () => confirm(other, 'Save'), other.getByText('Payments saved.'));

    // As when someone comes back to the page.
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('95m').waitFor();
    await confirm(page, 'Save');
    await page.getByText('Payments saved.').waitFor();
    const { payments } = (await clientsOf(stack).admin.getProviders()).providers;
    // Other tests expect prices without tax.
    await button(page, 'Edit').click();
    await dialog(page).getByLabel('Let the provider calculate tax').uncheck();
    await confirm(page, 'Save');
    await dialog(page).waitFor({ state: 'detached' });
    t.like(payments, { session_lifetime: '95m', automatic_tax: true });
  },
);

browserTest('who edits a promo code that has been changed meanwhile sees both versions', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await admin.createPromoCode({ code: 'BOTH', type: 'percent', value: 5 });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  await page.getByRole('row', { name: /BOTH/ }).getByRole('button', { name: 'Edit' }).click();
  await dialog(page).getByLabel('Percent').fill('8');
  await admin.replacePromoCode('BOTH', { type: 'percent', value: 7 });
  await confirm(page, 'Save');
  const row = page.getByRole('row', { name: /Percent/ });
  await row.waitFor();
  t.deepEqual(await row.getByRole('cell').allTextContents(), ['Percent', '7', '8']);
  await button(page, 'Save yours').click();
  await page.getByText('Promo code saved.').waitFor();
  t.is((await admin.listPromoCodes({ limit: 1 })).promo_codes[0]?.value, 8);
});

browserTest('a new partner does not take the place of the one who has the code already', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/partners', 'Partners');
  await button(page, 'New partner').click();
  await dialog(page).getByLabel('Name').fill('Another blog');
  await dialog(page).getByLabel('Code').fill('MAKER');
  await dialog(page).getByLabel('Commission').fill('90');
  await confirm(page, 'Add the partner');
  await dialog(page).getByText('maker is the code of The Maker Blog. Choose another one.').waitFor();
  await dialog(page).getByLabel('Code').fill('another');
  await confirm(page, 'Try again');
  await page.getByRole('cell', { name: 'Another blog', exact: true }).waitFor();
  const { partners } = await clientsOf(stack).admin.listPartners({ limit: 100 });
  t.like(
    partners.find(({ code }) => code === 'maker'),
    { name: 'The Maker Blog', commission_percent: 8 },
  );
});

browserTest('who changes the URL of an endpoint keeps the events that another member chose meanwhile', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { webhook_endpoint: endpoint } = await admin.createWebhookEndpoint({
    url: 'https://edited.example/hooks',
    events: ['order.paid'],
  });
  const page = await openConsole(t);
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, 'edited.example');
  await button(page, 'Edit').click();
  await dialog(page).getByLabel('URL').fill('https://edited.example/other');
  await admin.updateWebhookEndpoint(endpoint.id, { events: ['order.paid', 'order.refunded'], rate_per_second: 5 });
  await doVerified(page, stack, () => confirm(page, 'Save'), page.getByText('Endpoint saved.'));
  t.like((await admin.getWebhookEndpoint(endpoint.id)).webhook_endpoint, {
    url: 'https://edited.example/other',
    events: only('order.paid', 'order.refunded'),
    rate_per_second: 5,
  });
});

browserTest(
  'who changes the discount of a partner keeps the commission that another member set meanwhile',
  async (t) => {
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    await admin.savePartner({ code: 'edited', name: 'The Other Blog', commission_percent: 8, window: '30d' });
    const page = await openOwnTab(t);
    await openInConsole(page, stack, '/partners', 'Partners');
    await page
      .getByRole('row', { name: /edited/ })
      .getByRole('button', { name: 'Edit' })
      .click();
    await dialog(page).getByLabel('Discount').fill('5');
    await admin.savePartner({ code: 'edited', name: 'The Other Blog', commission_percent: 12, window: '30d' });
    await confirm(page, 'Save');
    await page
      .getByRole('row', { name: /Discount/ })
      .filter({ hasText: '5' })
      .waitFor();
    await button(page, 'Save yours').click();
    await page.getByText('Partner saved.').waitFor();
    const { partners } = await admin.listPartners({ limit: 100 });
    t.like(
      partners.find(({ code }) => code === 'edited'),
      { commission_percent: 12, discount_percent: 5 },
    );
    await page
      .getByRole('row', { name: /edited/ })
      .getByRole('button', { name: 'Delete' })
      .click();
    await confirm(page, 'Delete');
    await page.getByText('Partner deleted.').waitFor();
    await page.getByRole('row', { name: /edited/ }).waitFor({ state: 'detached' });
  },
);

browserTest('who sets quiet hours of reminders keeps the steps that another member saved meanwhile', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/settings/reminders', 'Settings');
  await page.getByLabel('Quiet from').fill('22:00');
  await page.getByLabel('Quiet until').fill('07:00');
  const { reminders } = await admin.getReminderSettings();
  await admin.saveReminderSettings({ ...reminders, steps: ['2h', '20h'] });
  await button(page, 'Save').click();
  await page.getByText('Reminders saved.').waitFor();
  const { reminders: saved } = await admin.getReminderSettings();
  t.like(saved, { steps: only('2h', '20h'), quiet_hours: only('22:00', '07:00') });
});

browserTest('who corrects the name of a member keeps the role that another owner gave meanwhile', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { staff: member } = await admin.inviteStaff({ email: 'kim@cedar.example', name: 'Kin', role: 'manager' });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/staff', 'Staff');
  await page.getByRole('row', { name: /kim@/ }).getByRole('button', { name: 'Edit' }).click();
  await dialog(page).getByLabel('Name').fill('Kim');
  await admin.updateStaff(member.id, { role: 'support' });
  const row = page.getByRole('row', { name: /Kin/ });
  await doVerified(page, stack, () => confirm(page, 'Save'), row);
  t.deepEqual(await row.getByRole('cell').allTextContents(), ['Name', 'Kin', 'Kim']);
  await button(page, 'Save yours').click();
  await page.getByText('Member saved.').waitFor();
  const { staff } = await admin.listStaff({ limit: 100 });
  t.like(
    staff.find(({ id }) => id === member.id),
    { name: 'Kim', role: 'support' },
  );
});

browserTest('what is open of a row stays open when the row leaves the list', async (t) => {
  const page = await openOwnTab(t);
  await openRejectingEndpoint(t, page);
  const row = page.getByRole('row', { name: /webhook\.test/ });
  for (const label of ['Attempts', 'Send again']) {
    await row.getByRole('button', { name: label }).click();
    await page.route('**/deliveries*', (route) => route.fulfill({ json: { deliveries: [], cursor: null } }));
    for (let read = 0; read < 2; read += 1)
      await page.waitForResponse((response) => response.url().includes('/deliveries'));
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText('Events that are sent to the endpoint appear here').waitFor();
    await page.unroute('**/deliveries*');
  }
  t.is(await dialog(page).count(), 0);
});
