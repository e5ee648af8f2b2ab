import type { Page, Route } from 'playwright-core';

import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { heading, openInConsole } from '#test/support/walk-console.ts';
import { browserTest, button, confirm, dialog, doVerified, holdRequests, openOwnTab } from './fixture.ts';

const pathOf = (page: Page) => new URL(page.url()).hash;

browserTest('the back and forward buttons go through the filters of a list, which its inputs show', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.getByRole('link', { name: 'Products', exact: true }).click();
  const words = page.getByPlaceholder('Name or SKU');
  const link = page.getByRole('link', { name: 'Oak bowl' });
  const others = page.getByRole('link', { name: 'Stoneware mug' });
  await others.waitFor();
  await words.fill('oak');
  await others.waitFor({ state: 'detached' });
  await link.waitFor();
  await page.getByLabel('Status').click();
  await page.getByRole('option', { name: 'Draft' }).click();
  await page.getByText('Nothing matches the filters.', { exact: false }).waitFor();

  await page.goBack();
  await link.waitFor();
  t.is(await words.inputValue(), 'oak');
  t.notRegex(await page.getByLabel('Status').innerText(), /Draft/);
  await page.goBack();
  await others.waitFor();
  t.is(await words.inputValue(), '');
  await page.goForward();
  await others.waitFor({ state: 'detached' });
  t.is(await words.inputValue(), 'oak');

  await link.click();
  await heading(page, 'Oak bowl').waitFor();
  await page.goBack();
  await link.waitFor();
  t.is(await words.inputValue(), 'oak');
  await button(page, 'Change many').click();
  await dialog(page).getByLabel('What to do').click();
  await page.getByRole('option', { name: 'Publish or unpublish' }).click();
  await dialog(page).getByLabel('Draft').check();
  await confirm(page, 'Preview');
  await heading(page, 'Publish or unpublish').waitFor();
  await page.goBack();
  await link.waitFor();
  t.is(await dialog(page).count(), 0);
  t.is(await words.inputValue(), 'oak');
});

browserTest('the back button does not lead to the form of what was created, or to what was deleted', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/content', 'Content');
  await page.getByRole('link', { name: 'New entry' }).click();
  // The list has an input of that name, too.
  await heading(page, 'New entry').waitFor();
  await page.getByLabel('Type').fill('article');
  await page.getByLabel('Slug').fill('back-and-forth');
  await page.getByLabel('Title').fill('Back and forth');
  await button(page, 'Create').click();
  await heading(page, 'Back and forth').waitFor();
  await page.goBack();
  await heading(page, 'Content').waitFor();
  await page.goForward();
  await heading(page, 'Back and forth').waitFor();
  await button(page, 'Delete').click();
  await confirm(page, 'Delete');
  await heading(page, 'Content').waitFor();
  await page.goBack();
  await until(() => pathOf(page) === '#/content');
  await heading(page, 'Content').waitFor();
  t.is(await page.getByText('There is no such').count(), 0);
});

browserTest('the back button warns before a page of the same list takes the input of its open form', async (t) => {
  const { stack } = t.context;
  const { webhook_endpoint: endpoint } = await clientsOf(stack).admin.createWebhookEndpoint({
    url: 'https://before.example/hooks',
    events: ['order.paid'],
  });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, 'before.example');
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await button(page, 'New endpoint').click();
  await dialog(page).getByLabel('URL').fill('https://half-written.example');
  const warned = page.waitForEvent('dialog');
  await Promise.all([warned.then((warning) => warning.dismiss()), page.goBack()]);
  t.is(await dialog(page).getByLabel('URL').inputValue(), 'https://half-written.example');
  const again = page.waitForEvent('dialog');
  await Promise.all([again.then((warning) => warning.accept()), page.goBack()]);
  await heading(page, 'before.example').waitFor();
});

browserTest('the back button does not take a secret that is shown once', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.getByRole('link', { name: 'Gift cards', exact: true }).click();
  await button(page, 'New gift card').click();
  await dialog(page).getByLabel('Balance (USD)').fill('10');
  const secret = page.getByRole('dialog', { name: 'Gift card code' });
  await doVerified(page, stack, () => confirm(page, 'Issue the gift card'), secret);
  const code = (await secret.locator('code').innerText()).slice(-4);
  for (let times = 0; times < 2; times += 1) await page.goBack();
  await secret.getByText(code).waitFor();
  await secret.getByRole('button', { name: 'Close' }).click();
  await page.goBack();
  await heading(page, 'Today').waitFor();
  const { gift_cards: cards } = await clientsOf(stack).admin.listGiftCards({ limit: 1 });
  t.is(cards[0]?.last4, code);
});

browserTest('who leaves a page while something is sent is told that it was rejected', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/content', 'Content');
  await page.getByRole('link', { name: 'How to care for wood' }).click();
  await heading(page, 'How to care for wood').waitFor();
  const entries = await holdRequests(page, '**/admin/content/**');
  await button(page, 'Delete').click();
  await confirm(page, 'Delete');
  const isSent = (route: Route) => route.request().method() === 'DELETE';
  const sent = await until(() => entries.held.find(isSent));
  entries.held.splice(entries.held.indexOf(sent), 1);
  await page.goBack();
  await heading(page, 'Content').waitFor();
  const detail = 'The entry is linked from the menu.';
  await sent.fulfill({ status: 409, json: { error: 'conflict', detail } });
  await page.getByRole('alert').getByText(detail).waitFor();
  await entries.release();
  t.pass();
});

browserTest('who comes back to the numbers of other days sees those that were chosen', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.getByRole('link', { name: 'Analytics', exact: true }).click();
  const from = page.getByLabel('From (UTC)');
  await from.fill('2026-02-03');
  await from.press('Home');
  await page.keyboard.type('03');
  t.is(await from.inputValue(), '2026-03-03');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await heading(page, 'Orders').waitFor();
  await page.goBack();
  await heading(page, 'Analytics').waitFor();
  t.is(await from.inputValue(), '2026-03-03');
  await page.goBack();
  await heading(page, 'Today').waitFor();
});
