import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import { buyMug, consolePages, heading, openInConsole } from '#test/support/walk-console.ts';
import {
  atHome,
  browserTest,
  button,
  confirm,
  dialog,
  doVerified,
  openConsole,
  openOwnTab,
  signIn,
  verifyAfter,
} from './fixture.ts';

browserTest('a key of another service is not filled in or kept as the password of this one', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/settings/shipping', 'Settings');
  await button(page, 'Replace the keys').click();
  const keys = dialog(page).locator('input[type=password]');
  await keys.first().waitFor();
  t.deepEqual(
    await keys.evaluateAll((inputs) => inputs.map((input) => input.getAttribute('autocomplete'))),
    Array(3).fill('new-password'),
  );
  await confirm(page, 'Close');
});

browserTest('keys are not said to be replaced where none was entered', async (t) => {
  const page = await openConsole(t);
  for (const tab of ['payments', 'shipping']) {
    await openInConsole(page, t.context.stack, `/settings/${tab}`, 'Settings');
    await button(page, 'Replace the keys').click();
    await confirm(page, 'Replace the keys');
    await dialog(page).getByText('Enter what you want to replace.').waitFor();
    await confirm(page, 'Close');
  }
  t.pass();
});

browserTest('who replaces keys is told what the store no longer learns with those of another account', async (t) => {
  const page = await openConsole(t);
  for (const [tab, lost] of [
    ['payments', /the store no longer learns what becomes of them in the account before/],
    ['shipping', /the store no longer learns what becomes of it/],
  ] as const) {
    await openInConsole(page, t.context.stack, `/settings/${tab}`, 'Settings');
    await button(page, 'Replace the keys').click();
    await dialog(page).getByText(lost).waitFor();
    await confirm(page, 'Close');
  }
  t.pass();
});

browserTest('an event is tried, and its delivery is sent again', async (t) => {
  const { stack, receiver } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/webhooks', 'Webhooks');
  await page.getByRole('link', { name: receiver.url }).click();
  await button(page, 'Try an event').click();
  await confirm(page, 'Try an event');
  const row = page.getByRole('row', { name: /webhook\.test Delivered/ });
  await row.waitFor();
  t.is(receiver.eventsOf('webhook.test').length, 1);
  await row.getByRole('button', { name: 'Attempts' }).click();
  await dialog(page)
    .getByText(/204 after \d+ ms/)
    .waitFor();
  await dialog(page)
    .getByText(/"type": "webhook\.test"/)
    .waitFor();
  await button(page, 'Close').click();
  await row.getByRole('button', { name: 'Send again' }).click();
  await confirm(page, 'Send again');
  await until(() => receiver.eventsOf('webhook.test').length === 2);
});

browserTest('a recovery says how many deliveries it sends again, by default from the first that failed', async (t) => {
  const { stack, receiver } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/webhooks', 'Webhooks');
  await page.getByRole('link', { name: receiver.url }).click();
  await button(page, 'Recover').click();
  await dialog(page).getByLabel('Since').fill('2099-01-01T00:00');
  await confirm(page, 'Recover');
  await page.getByText('There was nothing to resend since then.').waitFor();

  const { webhook_endpoint: failing } = await admin.createWebhookEndpoint({
    url: `${new URL(receiver.url).origin}/there-is-no-such-path`,
    events: ['label.voided'],
  });
  await admin.testWebhookEndpoint(failing.id);
  const deliveries = async () => (await admin.listWebhookDeliveries(failing.id, {})).deliveries;
  await until(async () => (await deliveries())[0]?.state === 'failed', { what: 'the failure' });
  await openInConsole(page, stack, `/webhooks/${failing.id}/show`, new URL(receiver.url).host);
  await button(page, 'Recover').click();
  await confirm(page, 'Recover');
  await page.getByText('Resent: 1.').waitFor();

  await until(async () => (await deliveries())[0]?.state === 'failed', { what: 'the next failure' });
  await button(page, 'Refresh').click();
  const failingSince = page.getByText('Failing since');
  await failingSince.waitFor();
  await admin.disableWebhookEndpoint(failing.id);
  await admin.enableWebhookEndpoint(failing.id);
  await button(page, 'Refresh').click();
  await failingSince.waitFor({ state: 'detached' });
  await button(page, 'Recover').click();
  t.not(await dialog(page).getByLabel('Since').inputValue(), '');
  await confirm(page, 'Recover');
  await page.getByText('Resent: 1.').waitFor();
  await admin.deleteWebhookEndpoint(failing.id);
  t.pass();
});

browserTest('what an endpoint missed is recovered by who opens its page once it works again', async (t) => {
  const { stack, receiver } = t.context;
  const { admin } = clientsOf(stack);
  const { webhook_endpoint: endpoint } = await admin.createWebhookEndpoint({
    url: `${new URL(receiver.url).origin}/there-is-no-such-path`,
    events: ['label.voided'],
  });
  await admin.testWebhookEndpoint(endpoint.id);
  const isFailed = async () => (await admin.listWebhookDeliveries(endpoint.id, { state: 'failed' })).deliveries[0];
  await until(isFailed, { what: 'the failure' });
  await admin.disableWebhookEndpoint(endpoint.id);
  await admin.enableWebhookEndpoint(endpoint.id);
  const page = await openConsole(t);
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, new URL(receiver.url).host);
  t.is(await page.getByText('Failing since').count(), 0);
  await button(page, 'Recover').click();
  await dialog(page).getByText('Since the endpoint was created', { exact: false }).waitFor();
  await confirm(page, 'Recover');
  await page.getByText('Resent: 1.').waitFor();
  await admin.deleteWebhookEndpoint(endpoint.id);
  t.pass();
});

browserTest('an owner who confirms with a code changes the terms of shipping and replaces its key', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/settings/shipping', 'Settings');
  await page.getByLabel(/^Price limit of labels/).fill('35.50');
  await page.getByLabel('Length (in)').fill('12.0625');
  await page.getByLabel('Country *').fill('UK');
  await verifyAfter(page, stack, () => button(page, 'Save').click());
  await page
    .getByRole('alert')
    .getByText(/did you mean GB\?$/)
    .waitFor();
  const warned = page.waitForEvent('dialog');
  await Promise.all([warned.then((warning) => warning.dismiss()), page.getByRole('tab', { name: 'Payments' }).click()]);
  await page.getByLabel('Country *').fill('US');
  await button(page, 'Try again').click();
  await page.getByText('Shipping saved.').waitFor();
  const { shipping } = (await admin.getProviders()).providers;
  t.is(shipping?.label_cost_cap_cents, 3550);
  t.is(shipping?.parcel.length_in, 12.0625);

  await button(page, 'Replace the keys').click();
  await dialog(page).getByLabel('Webhook token').fill('another-token');
  await confirm(page, 'Replace the keys');
  await page.getByText('Keys replaced.').waitFor();
  const replaced = (await admin.getProviders()).providers.shipping;
  t.is(replaced?.version, Number(shipping?.version) + 1);
  t.is(replaced?.label_cost_cap_cents, 3550);
});

browserTest('who replaces keys by ones that do not open the account is told so', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/settings/payments', 'Settings');
  const { payments } = (await clientsOf(stack).admin.getProviders()).providers;
  const fault = { match: 'GET /v1/coupons*', kind: 'status', status: 403, times: 1 } as const;
  await stripeControl(stack.stripeUrl).addFault(fault);
  await button(page, 'Replace the keys').click();
  await dialog(page)
    .getByLabel('Publishable key')
    .fill(payments?.publishable_key ?? '');
  await doVerified(
    page,
    stack,
    () => confirm(page, 'Replace the keys'),
    page.getByText('The keys are saved, but their check failed. The key lacks permissions: Coupons.'),
  );
  t.pass();
});

browserTest('an endpoint that gets all events of labels is changed to one of them', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { webhook_endpoint: endpoint } = await admin.createWebhookEndpoint({
    url: 'https://labels.example/hooks',
    events: ['label.*'],
  });
  const page = await openConsole(t);
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, 'labels.example');
  await button(page, 'Edit').click();
  await dialog(page).getByLabel('label.*', { exact: true }).uncheck();
  await dialog(page).getByLabel('label.voided').check();
  await doVerified(page, stack, () => confirm(page, 'Save'), page.getByText('Endpoint saved.'));
  t.like((await admin.getWebhookEndpoint(endpoint.id)).webhook_endpoint, { events: only('label.voided') });
});

browserTest('a secret that is returned once is shown until it is closed, and works', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  const secretAfter = async (submit: string, title: string): Promise<string> => {
    const shown = page.getByRole('dialog', { name: title });
    await doVerified(page, stack, () => confirm(page, submit), shown);
    const secret = await shown.locator('code').textContent();
    await shown.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
    return secret ?? '';
  };

  await openInConsole(page, stack, '/gift-cards', 'Gift cards');
  await button(page, 'New gift card').click();
  await dialog(page).getByLabel('Balance (USD)').fill('25');
  const code = await secretAfter('Issue the gift card', 'Gift card code');
  t.like((await admin.listGiftCards({ limit: 1 })).gift_cards[0], { last4: code.slice(-4), balance_cents: 2500 });
  await until(() => page.evaluate<boolean>("document.activeElement.textContent === 'New gift card'"));

  await openInConsole(page, stack, '/settings/keys', 'Settings');
  await button(page, 'New key').click();
  await dialog(page).getByLabel('Name').fill('Warehouse');
  await dialog(page).getByLabel('orders:read', { exact: true }).check();
  const secretKey = await secretAfter('Create the key', 'The new key');
  const ofWarehouse = clientsOf({ url: stack.url, store: { ...stack.store, secretKey } });
  await t.throwsAsync(ofWarehouse.admin.listKeys({ limit: 1 }), { message: /admin\.settings:read/ });

  const { webhook_endpoint: endpoint, secret } = await admin.createWebhookEndpoint({
    url: 'https://rotated.example/hooks',
    events: ['order.refunded'],
  });
  t.teardown(() => admin.deleteWebhookEndpoint(endpoint.id));
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, 'rotated.example');
  await button(page, 'Rotate the secret').click();
  const rotated = await secretAfter('Rotate the secret', 'New signing secret');
  t.is(rotated.slice(0, 6), secret.slice(0, 6));
  t.not(rotated, secret);
});

browserTest('who is invited as a member again keeps their role', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { staff: member } = await admin.inviteStaff({ email: 'lee@cedar.example', name: 'Lee', role: 'manager' });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/staff', 'Staff');
  await button(page, 'Invite').click();
  await dialog(page).getByLabel('Email').fill('Lee@cedar.example');
  await dialog(page).getByLabel('Name').fill('Lee');
  await dialog(page).getByLabel('Role').click();
  await page.getByRole('option', { name: 'Analyst' }).click();
  await dialog(page).getByText('Sees products, promotions and analytics').waitFor();
  const invited = page.getByText('The invitation is on its way.');
  const gate = page.getByRole('dialog', { name: 'Confirm that it is you' });
  const rejected = dialog(page).getByText('lee@cedar.example is a member already, with the role Manager.', {
    exact: false,
  });
  await confirm(page, 'Invite');
  await rejected.or(invited).or(gate).waitFor();
  t.true(await rejected.isVisible());
  await dialog(page).getByLabel('Role').click();
  await page.getByRole('option', { name: 'Manager' }).click();
  await doVerified(page, stack, () => confirm(page, 'Try again'), invited);
  const { staff } = await admin.listStaff({ limit: 100 });
  t.is(staff.find(({ id }) => id === member.id)?.role, 'manager');
});

/** The links of a page to others that the role does not allow: they are not in the menu. That of packing slips never is. */
async function deniedLinks(page: Page): Promise<string[]> {
  const targets = (links: Locator) =>
    links.evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split(/[/?]/)[1] ?? ''));
  const allowed = [
    ...(await targets(page.getByRole('navigation', { name: 'Menu' }).getByRole('link'))),
    'packing-slips',
  ];
  return (await targets(page.locator('main a[href^="#/"]'))).filter((target) => !allowed.includes(target));
}

browserTest(
  'an owner who confirms with a code invites a packer, who can ship and not refund, by page or by API',
  async (t) => {
    const { stack } = t.context;
    const order = await buyMug(stack, atHome);
    const { admin } = clientsOf(stack);
    const email = 'packer@cedar.example';
    const ownersPage = await signIn(t);
    await openInConsole(ownersPage, stack, '/staff', 'Staff');
    await button(ownersPage, 'Invite').click();
    await dialog(ownersPage).getByLabel('Email').fill(email);
    await dialog(ownersPage).getByLabel('Name').fill('Pat');
    await dialog(ownersPage).getByLabel('Role').click();
    await ownersPage.getByRole('option', { name: 'Fulfilment' }).click();
    await verifyAfter(ownersPage, stack, () => confirm(ownersPage, 'Invite'));
    await ownersPage.getByText('The invitation is on its way.').waitFor();

    await until(async () => (await admin.getOrder(order.id)).order.fulfillment_status === 'label_purchased');
    const review = { rating: 5, body: 'Holds what it promises.', author_name: 'Grace' };
    await clientsOf(stack).storefront.createProductReview('stoneware-mug', review);
    const page = await signIn(t, email);
    await openInConsole(page, stack, '/', 'Today');
    t.deepEqual(await deniedLinks(page), []);
    await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
    await button(page, 'Print the label').waitFor();
    t.deepEqual(await deniedLinks(page), []);
    t.is(await button(page, 'Refund').count(), 0);
    t.is(await page.getByRole('link', { name: 'Promo codes', exact: true }).count(), 0);
    const areas = page.getByRole('navigation', { name: 'Menu' }).locator('.MuiListSubheader-root');
    t.deepEqual(await areas.allTextContents(), ['Sales', 'Catalog', 'Bulk work']);
    await openInConsole(page, stack, '/promo-codes', 'Access denied');
    await page.getByText('Your role does not allow this page.', { exact: false }).waitFor();
    const refund = `fetch('/api/v1/admin/orders/${order.id}/refunds', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}'
  }).then(async (response) => [response.status, (await response.json()).required_scope])`;
    t.deepEqual(await page.evaluate(refund), [403, 'admin.refunds:write']);

    await openInConsole(page, stack, '/my-account', 'My account');
    await verifyAfter(page, stack, () => button(page, 'Use an authenticator app').click(), email);
    await dialog(page)
      .getByRole('img', { name: /QR code/ })
      .waitFor();
    const secret = await dialog(page).locator('code').textContent();
    // As when who enters the secret in an app comes back to the page.
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    const app = new TOTP({ secret: Secret.fromBase32(secret ?? '') });
    await dialog(page).getByLabel('Code shown in the app').fill(app.generate());
    await confirm(page, 'Use an authenticator app');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  },
);

// Of all roles, these two are denied the most pages.
browserTest('each page is shown whole to a role, or as denied', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  for (const role of ['fulfilment', 'analyst'] as const) {
    const email = `${role}@roles.example`;
    await admin.inviteStaff({ email, name: role, role });
    const page = await signIn(t, email);
    const denied: string[] = [];
    for (const [path, title] of consolePages) {
      await page.goto(`${stack.url}/admin#${path}`);
      await heading(page, title).or(heading(page, 'Access denied')).waitFor();
      await page.getByRole('progressbar', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      if (await heading(page, 'Access denied').isVisible()) denied.push(path);
      else t.is(await page.getByText('Your role does not allow this.', { exact: false }).count(), 0, `${role} ${path}`);
    }
    t.log(role, denied.join(' '));
    t.false(denied.includes('/my-account'));
  }
});
