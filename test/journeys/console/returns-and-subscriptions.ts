import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { buyMug, openInConsole } from '#test/support/walk-console.ts';
import { atHome, browserTest, confirm, dialog, openConsole, openOwnTab } from './fixture.ts';

/** A mug that was bought, and the return of it that its buyer requested. */
async function returnMug(stack: Stack) {
  const { admin, storefront } = clientsOf(stack);
  const order = await buyMug(stack, atHome);
  const { items } = await until(async () => {
    const { order: found } = await admin.getOrder(order.id);
    return found.status === 'paid' ? found : undefined;
  });
  const { return: made } = await storefront.createReturn({
    order_number: order.number,
    email: atHome.email,
    items: [{ order_item_id: items[0]?.id ?? '', quantity: 1 }],
  });
  return { order, made };
}

browserTest('a return whose goods were replaced is closed without a refund', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { order, made } = await returnMug(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/returns', 'Returns');
  const row = page.getByRole('row', { name: new RegExp(made.number) });
  for (const [step, sent = step] of [['Approve'], ['Receive'], ['Close', 'Close the return']] as const) {
    await row.getByRole('button', { name: step }).click();
    await confirm(page, sent);
    await dialog(page).waitFor({ state: 'detached' });
  }
  await row.getByText('Closed').waitFor();
  t.deepEqual((await admin.getOrder(order.id)).order.refunds, []);
});

browserTest('who refunds a return is told what was refunded of its order before', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { order, made } = await returnMug(stack);
  await admin.approveReturn(made.id, {});
  await admin.receiveReturn(made.id, {});
  await admin.refundOrder(order.id, { amount_cents: 1250 });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/returns', 'Returns');
  const row = page.getByRole('row', { name: new RegExp(made.number) });
  await row.getByRole('button', { name: 'Refund' }).click();
  await dialog(page).getByText(`$12.50 of ${order.number} was refunded before.`, { exact: false }).waitFor();
  await dialog(page).getByLabel('Amount').fill('0');
  await confirm(page, 'Refund');
  await row.getByText('Refunded').waitFor();
  await until(async () => (await admin.getOrder(order.id)).order.refunded_cents === 1250);
  t.is((await admin.getOrder(order.id)).order.refunds.length, 1);
});

/** A paid subscription to coffee every month. */
async function subscribeToCoffee(stack: Stack, buyer: typeof atHome) {
  const { admin, storefront } = clientsOf(stack);
  const { product } = await storefront.getProduct('coffee-of-the-month');
  const coffee = { product_slug: product.slug, variant_id: product.variants[0]?.id ?? null, quantity: 1 };
  const { checkout_url: url } = await storefront.createCheckoutSession({
    customer_email: buyer.email,
    items: [{ ...coffee, purchase_type: 'subscription', subscription_interval: 'month' }],
  });
  await stripeControl(stack.stripeUrl).pay(url.split('/').at(-1) ?? '', { outcome: 'paid', ...buyer });
  const found = async () => (await admin.listSubscriptions({ email: buyer.email })).subscriptions[0];
  return until(found, { what: 'the subscription' });
}

browserTest('a subscriber who has moved gets the next parcels at the new address', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await subscribeToCoffee(stack, atHome);
  const found = async () => (await admin.listSubscriptions({ email: atHome.email })).subscriptions;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/subscriptions', 'Subscriptions');
  const row = page.getByRole('row', { name: new RegExp(atHome.email) });
  await row.getByRole('button', { name: 'Change address' }).click();
  const street = dialog(page).getByLabel('Street', { exact: false }).first();
  t.is(await street.inputValue(), atHome.address.line1);
  await street.fill('12 Ockham Road');
  await confirm(page, 'Save');
  await dialog(page).waitFor({ state: 'detached' });
  t.is((await found())[0]?.shipping_address?.street1, '12 Ockham Road');
});

browserTest('a subscription that ends with its period, which is not paid, is canceled at once after all', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const email = 'overdue@shopper.example';
  const subscription = await subscribeToCoffee(stack, { ...atHome, email });
  await stripeControl(stack.stripeUrl).renew(subscription.payment_subscription_id, 'failed');
  const found = async () => (await admin.getSubscription(subscription.id)).subscription;
  await until(async () => (await found()).status === 'past_due', { what: 'the failed payment' });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/subscriptions', 'Subscriptions');
  const row = page.getByRole('row', { name: new RegExp(email) });
  await row.getByRole('button', { name: /^Cancel / }).click();
  t.is(await dialog(page).getByText('At the end of the paid period').count(), 0);
  await dialog(page).getByLabel('At the end of the period').check();
  await confirm(page, 'Cancel the subscription');
  await row.getByText('then it ends', { exact: false }).waitFor();
  await row.getByRole('button', { name: 'Cancel now' }).click();
  await confirm(page, 'Cancel now');
  await row.getByText('Canceled', { exact: true }).waitFor();
  t.is((await found()).status, 'canceled');
});
