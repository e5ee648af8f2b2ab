import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { complaintsOf } from '#test/support/browser.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { buyMug, heading, openInConsole } from '#test/support/walk-console.ts';
import {
  abroad,
  atHome,
  browserTest,
  button,
  confirm,
  dialog,
  holdRequests,
  openConsole,
  openOwnTab,
  signIn,
} from './fixture.ts';

browserTest(
  'an owner signs in from the mailbox and buys a label for an international order at a chosen rate',
  async (t) => {
    const { stack } = t.context;
    const order = await buyMug(stack, abroad);
    const page = await openConsole(t);
    const complaints = complaintsOf(page);
    const { admin } = clientsOf(stack);
    await until(async () => (await admin.getOrder(order.id)).order.fulfillment_status === 'needs_attention');

    await page.reload();
    await page.getByRole('link', { name: /^Labels are bought automatically within the United States only/ }).click();
    await heading(page, 'Labels on hold').waitFor();
    await page.getByRole('link', { name: order.number }).click();
    await heading(page, order.number).waitFor();
    await page.getByText(/김지수/).waitFor();
    await button(page, 'Choose a rate').click();
    const rates = dialog(page).getByRole('radio');
    await rates.first().waitFor();
    await rates.last().click();
    await confirm(page, 'Buy the label');
    const print = button(page, 'Print the label');
    await print.waitFor();
    const opened = page.context().waitForEvent('response', (response) => response.url().includes('.pdf'));
    await print.click();
    t.is(await (await opened).headerValue('content-type'), 'application/pdf');
    await page.getByText('Label purchased', { exact: false }).first().waitFor();
    t.deepEqual(complaints, []);
  },
);

browserTest('no label is bought before its rate is shown', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const order = await buyMug(stack, abroad);
  await until(async () => (await admin.getOrder(order.id)).order.fulfillment_status === 'needs_attention');
  const page = await openOwnTab(t);
  await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
  const { held, release } = await holdRequests(page, '**/rates');
  await button(page, 'Choose a rate').click();
  await until(() => held.length > 0);
  await confirm(page, 'Buy the label');
  await dialog(page).getByText('Choose a rate first', { exact: false }).waitFor();
  t.is((await admin.getOrder(order.id)).order.label?.state, 'needs_attention');
  await release();
  await dialog(page).getByRole('radio').first().waitFor();
  // Other rates, which who comes back from another tab has not chosen.
  await page.route('**/rates', (route) => route.fulfill({ json: { rates: [], cheapest_rate_id: null } }));
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.waitForResponse((response) => response.url().endsWith(`/orders/${order.id}`));
  t.true(await dialog(page).getByRole('radio', { checked: true }).isVisible());
  await confirm(page, 'Try again');
  await dialog(page).waitFor({ state: 'detached' });
  await until(async () => (await admin.getOrder(order.id)).order.label?.state === 'purchased');
});

browserTest(
  'an order is found by its number, and one of its items is refunded once, though the response was lost',
  async (t) => {
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    const order = await buyMug(stack, atHome);
    await until(async () => (await admin.getOrder(order.id)).order.status === 'paid');
    const page = await openConsole(t);
    await openInConsole(page, stack, '/orders', 'Orders');
    await page.getByPlaceholder('Number, name, email or tracking').fill(order.number);
    await page.waitForURL((url) => decodeURIComponent(url.hash).includes(order.number));
    await until(async () => (await page.getByRole('row').count()) === 2);
    await page.getByRole('link', { name: order.number }).click();
    await heading(page, order.number).waitFor();

    await button(page, 'Refund').click();
    await dialog(page).getByText('This ends the order.').waitFor();
    const amount = dialog(page).getByLabel(/^Amount/);
    await amount.fill('1,50');
    await amount.blur();
    t.is(await amount.inputValue(), '1.50');
    t.is(await dialog(page).getByText('This ends the order.').count(), 0);
    await dialog(page).getByRole('checkbox').first().check();
    await dialog(page).getByLabel('Reason').fill('Chipped');
    const item = await amount.inputValue();
    await page.route('**/refunds', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await confirm(page, 'Refund');
    await dialog(page)
      .getByText(/cannot be reached/)
      .waitFor();
    // What the page shows behind the form has been read again.
    await page.getByRole('table', { name: 'Refunds', includeHidden: true }).getByText('Sent').waitFor();
    t.is(await amount.inputValue(), item);
    t.is(await dialog(page).getByLabel('Reason').inputValue(), 'Chipped');
    await page.unroute('**/refunds');
    await confirm(page, 'Try again');
    await dialog(page).waitFor({ state: 'detached' });

    const { order: refunded } = await admin.getOrder(order.id);
    t.like(refunded.refunds, { length: 1, 0: { amount_cents: refunded.items[0]?.total_cents, reason: 'Chipped' } });
    await until(async () => (await admin.getOrder(order.id)).order.refunds[0]?.state === 'sent');
    await page.getByRole('table', { name: 'Refunds' }).getByText('Sent').waitFor();
  },
);

browserTest('what was refunded at the payment provider is said beside the refunds of an order', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const order = await buyMug(stack, { ...atHome, email: 'ida@shopper.example' });
  await until(async () => (await admin.getOrder(order.id)).order.status === 'paid');
  const stripe = stripeControl(stack.stripeUrl);
  const { charges } = await stripe.account(stack.store.stripeKey);
  await stripe.refund(charges.at(-1)?.id ?? '', 500);
  await until(async () => (await admin.getOrder(order.id)).order.refunded_cents === 500);
  const page = await openConsole(t);
  await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
  await page.getByText('$5.00 was returned by the payment provider and not requested here.').waitFor();
  t.is(await page.getByText('Nothing has been refunded yet', { exact: false }).count(), 0);
});

browserTest(
  'a refund whose response was lost is made once, though its form was closed and filled in again',
  async (t) => {
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    const order = await buyMug(stack, atHome);
    await until(async () => (await admin.getOrder(order.id)).order.status === 'paid');
    const page = await openConsole(t);
    await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
    const refund = async (amount: string) => {
      await button(page, 'Refund').click();
      await dialog(page)
        .getByLabel(/^Amount/)
        .fill(amount);
      await confirm(page, 'Refund');
    };
    const refunds = async () => (await admin.getOrder(order.id)).order.refunds.map(({ amount_cents: cents }) => cents);

    await page.route('**/refunds', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await refund('5.00');
    await dialog(page)
      .getByText(/cannot be reached/)
      .waitFor();
    page.once('dialog', (warning) => warning.accept());
    await confirm(page, 'Close');
    await page.unroute('**/refunds');
    await refund('5.00');
    await dialog(page).waitFor({ state: 'detached' });
    t.deepEqual(await refunds(), [500]);

    await refund('5.00');
    await dialog(page).waitFor({ state: 'detached' });
    t.deepEqual(await refunds(), [500, 500]);
  },
);

browserTest(
  'a member who buys no labels corrects an address that waits, and is told which one can no longer be corrected',
  async (t) => {
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    const email = 'sue@support.example';
    await admin.inviteStaff({ email, name: 'Sue', role: 'support' });
    const [waiting, labelled] = [await buyMug(stack, abroad), await buyMug(stack, atHome)];
    const stateOf = async ({ id }: { id: string }) => (await admin.getOrder(id)).order.label?.state;
    await until(async () => (await stateOf(waiting)) === 'needs_attention');
    await until(async () => (await stateOf(labelled)) === 'purchased');
    const page = await signIn(t, email);
    const edit = page.locator('section', { hasText: 'Shipping address' }).getByRole('button', { name: 'Edit' });

    await openInConsole(page, stack, `/orders/${waiting.id}/show`, waiting.number);
    await edit.click();
    await dialog(page).getByLabel('Postal code').fill('SW1A 2AB');
    await confirm(page, 'Save');
    await page.getByText('Address saved.').waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    t.is((await admin.getOrder(waiting.id)).order.shipping_address?.zip, 'SW1A 2AB');
    t.is(await stateOf(waiting), 'needs_attention');

    await openInConsole(page, stack, `/orders/${labelled.id}/show`, labelled.number);
    await page.getByText('Its label was bought for this address', { exact: false }).waitFor();
    t.is(await edit.count(), 0);
    await admin.shipOrder(labelled.id, { carrier: 'USPS', tracking_number: 'BYHAND1' });
    await openInConsole(page, stack, `/orders/${labelled.id}/show`, labelled.number);
    await page.getByText('BYHAND1').waitFor();
    t.is(await edit.count(), 0);
    t.is(await page.getByText('Its label was bought for this address', { exact: false }).count(), 0);
  },
);

browserTest('a wrong tracking number is corrected on the page of its order, which shows every parcel', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { id, number } = await buyMug(stack, abroad);
  await until(async () => (await admin.getOrder(id)).order.fulfillment_status === 'needs_attention');
  await admin.shipOrder(id, { carrier: 'Royal Mail', tracking_number: 'RM1' });
  const page = await openConsole(t);
  await openInConsole(page, stack, `/orders/${id}/show`, number);
  await page.getByRole('row', { name: /RM1/ }).getByRole('button', { name: 'Edit' }).click();
  await dialog(page).getByLabel('Tracking number').fill('RM 2');
  await confirm(page, 'Save');
  await page.getByRole('row', { name: /RM2/ }).waitFor();
  await button(page, 'Add').click();
  await dialog(page).getByLabel('Carrier').fill('DHL');
  await dialog(page).getByLabel('Tracking number').fill('DHL3');
  await confirm(page, 'Add the parcel');
  await page.getByRole('row', { name: /DHL3/ }).getByRole('button', { name: 'Remove' }).click();
  await confirm(page, 'Remove');
  await page.getByText('Tracking number removed.').waitFor();
  t.deepEqual(
    (await admin.getOrder(id)).order.labels.map((parcel) => [parcel.carrier, parcel.tracking_number]),
    [['Royal Mail', 'RM2']],
  );
});

browserTest('a mistyped email of an order is corrected, and the receipt goes to the new one', async (t) => {
  const { stack } = t.context;
  const { id, number } = await buyMug(stack, { ...atHome, email: 'mistyped@shopper.example' });
  const page = await openConsole(t);
  await until(async () => (await clientsOf(stack).admin.getOrder(id)).order.paid_at, { what: 'the payment' });
  await openInConsole(page, stack, `/orders/${id}/show`, number);
  await button(page, 'Edit the email').click();
  await dialog(page).getByLabel('Email').fill('typed@shopper.example');
  await confirm(page, 'Save');
  await page.getByRole('link', { name: 'typed@shopper.example', exact: true }).waitFor();
  await button(page, 'Resend the receipt').click();
  await dialog(page).getByText('It goes to typed@shopper.example.').waitFor();
  await confirm(page, 'Resend the receipt');
  const filter = { to: 'typed@shopper.example', subject: `Your order ${number}` };
  await until(async () => (await mailboxControl(stack.mailboxUrl).messages(filter)).length === 1, {
    what: 'the receipt',
  });
  t.pass();
});

browserTest('an order that a gift card pays has a total of zero', async (t) => {
  const { stack } = t.context;
  const { admin, storefront } = clientsOf(stack);
  const { code } = await admin.createGiftCard({ balance_cents: 50_000 });
  const { order_id: id, order_number: number } = await storefront.createCheckoutSession({
    customer_email: atHome.email,
    items: [{ product_slug: 'pour-over-set', quantity: 1 }],
    gift_card_code: code,
  });
  const page = await openConsole(t);
  await openInConsole(page, stack, `/orders/${id}/show`, number);
  t.regex(await page.getByRole('main').innerText(), /Total\s+\$0\.00/);
});

browserTest('an order whose label was voided is found from the page of today', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { id, number } = await buyMug(stack, atHome);
  const label = await until(async () => {
    const { order } = await admin.getOrder(id);
    return order.label?.state === 'purchased' ? order.label : undefined;
  });
  await admin.voidLabel(label.id);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.getByRole('link', { name: /^Unshipped orders without a label/ }).click();
  await heading(page, 'Orders').waitFor();
  await page.getByRole('link', { name: number }).waitFor();
  t.true(await page.getByLabel('Unshipped without a label').isChecked());
});

browserTest('the page of today lists what is packed, and no order of which nothing is sent any more', async (t) => {
  const { stack } = t.context;
  const { admin, storefront } = clientsOf(stack);
  const [sent, returned] = [await buyMug(stack, atHome), await buyMug(stack, atHome)];
  for (const { id } of [sent, returned])
    await until(async () => (await admin.getOrder(id)).order.fulfillment_status === 'label_purchased');
  const { order } = await admin.getOrder(returned.id);
  const { return: back } = await storefront.createReturn({
    order_number: returned.number,
    email: atHome.email,
    items: [{ order_item_id: order.items[0]?.id ?? '', quantity: 1, reason: 'ordered twice' }],
  });
  await admin.approveReturn(back.id, {});
  const page = await openConsole(t);
  await openInConsole(page, stack, '/', 'Today');
  const row = page.getByRole('table', { name: 'Orders to be packed' }).getByRole('row', { name: sent.number });
  t.regex(await row.innerText(), /1 × \u2068Stoneware mug, Sand\u2069/);
  t.false(await page.getByRole('link', { name: returned.number }).isVisible());
  const slips = (await page.getByRole('link', { name: /^Packing slip/ }).getAttribute('href')) ?? '';
  t.deepEqual(
    [sent, returned].map(({ id }) => slips.includes(id)),
    [true, false],
  );
});

browserTest('an order that has no email yet does not name one', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  const { order_id: id, order_number: number } = await clientsOf(stack).storefront.createCheckoutSession({
    items: [{ product_slug: 'pour-over-set', quantity: 1 }],
  });
  await openInConsole(page, stack, `/orders/${id}/show`, number);
  await page.getByText('Ordered', { exact: true }).waitFor();
  t.is(await page.getByRole('term').filter({ hasText: 'Email' }).count(), 0);
});
