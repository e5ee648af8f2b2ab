import type { Page } from 'playwright-core';
import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { buyMug, heading, openInConsole } from '#test/support/walk-console.ts';
import { atHome, browserTest, button, confirm, dialog, openConsole, openOwnTab } from './fixture.ts';

/** Evaluated in a page: the name of the field that has the focus, or else what is read there; of a heading with a #. */
const focused = `(({ tagName, name, ariaLabel, textContent }) =>
  (tagName === 'H1' ? '# ' : '') + (name || ariaLabel || textContent))(document.activeElement)`;

const untilFocused = (page: Page, name: string) =>
  until(async () => (await page.evaluate(focused)) === name, { what: `the focus at ${name}` });

browserTest('a page that is opened with the keyboard has the focus at its heading', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/', 'Today');
  const menu = page.getByRole('navigation', { name: 'Menu' });
  t.is(await menu.locator('[aria-current=page]').textContent(), 'Today');
  await menu.getByRole('link', { name: 'Products' }).press('Enter');
  await untilFocused(page, '# Products');
  t.is(await menu.locator('[aria-current=page]').textContent(), 'Products');
  await page.getByRole('link', { name: 'Oak bowl' }).press('Enter');
  await untilFocused(page, '# Oak bowl');
  await page.getByRole('banner').getByRole('button').last().press('Enter');
  await page.getByRole('menuitem', { name: 'My account' }).press('Enter');
  // The menu would hide it.
  await heading(page, 'My account').waitFor();
  await untilFocused(page, '# My account');
});

browserTest('the menu stands beside what the page says, and not within it', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/my-account', 'My account');
  await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  t.is(await page.getByRole('main').getByRole('navigation').count(), 0);
  t.is(await page.getByRole('main').getByRole('heading', { level: 1 }).count(), 1);
});

browserTest('a list of a form keeps the focus when one of it is moved or removed', async (t) => {
  const page = await openOwnTab(t);
  await openInConsole(page, t.context.stack, '/products/create', 'New product');
  for (const count of [1, 2, 3]) {
    await button(page, 'Add an image').press('Enter');
    await page
      .getByLabel(/^URL/)
      .nth(count - 1)
      .fill(`https://cedar.example/${count}.jpg`);
  }
  await button(page, 'Move image 3 up').press('Enter');
  await untilFocused(page, 'Move image 2 up');
  await page.keyboard.press('Enter');
  await untilFocused(page, 'Move image 1 up');
  t.is(await page.getByLabel(/^URL/).first().inputValue(), 'https://cedar.example/3.jpg');
  await page.keyboard.press('Enter');
  t.is(await page.getByLabel(/^URL/).first().inputValue(), 'https://cedar.example/3.jpg');
  await button(page, 'Remove image 3').press('Enter');
  await untilFocused(page, 'Remove image 2');
  await page.keyboard.press('Enter');
  await untilFocused(page, 'Remove image 1');
  await page.keyboard.press('Enter');
  await untilFocused(page, 'Add an image');
});

browserTest('a form has the focus at the first field that is wrong as they are seen, or at its button', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/products/create', 'New product');
  await button(page, 'Create').press('Enter');
  await untilFocused(page, 'slug');

  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  await button(page, 'New promo code').press('Enter');
  await dialog(page).getByLabel(/^Code/).fill('WELCOME10');
  await dialog(page).getByLabel('Percent').fill('15');
  await dialog(page).getByRole('button', { name: 'Create the promo code' }).press('Enter');
  await untilFocused(page, 'code');
  await page.route('**/promo-codes', (route) => route.fulfill({ status: 500, json: { error: 'internal_error' } }));
  await dialog(page).getByLabel(/^Code/).fill('KEYS15');
  await button(page, 'Try again').press('Enter');
  await untilFocused(page, 'Try again');
  page.once('dialog', (warning) => warning.accept());
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await untilFocused(page, 'New promo code');
  t.pass();
});

/** Evaluated in a page. */
const descriptionOfFocused =
  "document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText";

browserTest('a form without its file says so where the file is chosen', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/imports', 'Imports');
  await button(page, 'New import').press('Enter');
  await dialog(page).getByRole('combobox', { name: 'Contents' }).press('Enter');
  await page.getByRole('option', { name: 'Stock' }).press('Enter');
  await confirm(page, 'Send the file');
  await until(() => page.evaluate<boolean>("document.activeElement.type === 'file'"));
  t.is(await page.evaluate<string>(descriptionOfFocused), 'No file yet\nChoose a file');
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
});

browserTest('a list says what came of a filter and of another page, and its button keeps the focus', async (t) => {
  const { stack } = t.context;
  await buyMug(stack, atHome);
  const page = await openOwnTab(t);
  const { orders } = await clientsOf(stack).admin.listOrders({ limit: 1 });
  const two = ['ord_one', 'ord_two'].map((id) => ({ ...orders[0], id }));
  await page.route('**/admin/orders?*', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const isNone = query.has('q') || query.has('search');
    const isLast = query.has('cursor');
    const found = two.slice(0, isNone ? 0 : isLast ? 1 : 2);
    return route.fulfill({ json: { orders: found, cursor: isLast ? null : 'next' } });
  });
  await openInConsole(page, stack, '/orders', 'Orders');
  await page.getByRole('status').filter({ hasText: '2 rows' }).waitFor();
  await button(page, 'Next').press('Enter');
  await page.getByRole('status').filter({ hasText: 'Page 2' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'One row' }).waitFor();
  await until(() => button(page, 'Next').isDisabled());
  t.is(await page.evaluate(focused), 'Next');
  await page.getByRole('textbox', { name: 'Number, name, email or tracking' }).fill('nowhere');
  await page.getByRole('status').filter({ hasText: 'No rows' }).waitFor();
});

browserTest('who asks for a link to sign in has the focus at what came of it', async (t) => {
  const { stack, browser } = t.context;
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.goto(`${stack.url}/admin?store=${stack.store.slug}`);
  await page.getByLabel('Email').fill('nobody@cedar.example');
  t.is(await page.title(), 'Sign in · Console');
  await page.keyboard.press('Enter');
  await untilFocused(page, '# Check your email');
  await button(page, 'Use another email').press('Enter');
  await untilFocused(page, '# Sign in');
});
