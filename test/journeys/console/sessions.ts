import type { Page } from 'playwright-core';
import { clientsOf } from '#test/support/clients-of.ts';
import { heading, linkFrom, openInConsole, owner } from '#test/support/walk-console.ts';
import {
  browserTest,
  button,
  changeStoreOfSession,
  confirm,
  dialog,
  openConsole,
  openOwnTab,
  openTab,
  signIn,
} from './fixture.ts';

/** Send a change whose session ends in that moment. If it ended before, the page might notice that when it polls. */
async function sendAsSessionEnds(page: Page, send: () => Promise<void>): Promise<void> {
  await page.route('**/api/v1/admin/**', async (route, request) => {
    if (request.method() !== 'GET') await page.context().clearCookies();
    await route.continue();
  });
  await send();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
}

browserTest('a session that has ended is signed in again in another tab, and the request is then sent', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  await button(page, 'New promo code').click();
  await dialog(page).getByLabel('Code').fill('LATE15');
  await dialog(page).getByLabel('Percent').fill('15');
  await sendAsSessionEnds(page, () => confirm(page, 'Create the promo code'));

  const link = await linkFrom(stack, owner, () => button(page, 'Email me a link').click());
  const tab = await openTab(t, page);
  await tab.goto(link);
  await button(tab, 'Sign in').click();
  await heading(tab, 'Today').waitFor();
  await page.getByRole('cell', { name: 'LATE15', exact: true }).waitFor();
  t.pass();
});

browserTest('a member who was revoked is not told that a link to sign in is on its way', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const email = 'gone@cedar.example';
  const { staff: member } = await admin.inviteStaff({ email, name: 'Robin', role: 'manager' });
  const page = await signIn(t, email);
  await admin.revokeStaff(member.id);
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await button(page, 'Email me a link').click();
  const said = dialog(page).getByRole('alert');
  t.is(
    await said.innerText(),
    `If ${email} still belongs to the staff of this store, a link is on its way. Open it in this browser.`,
  );
});

browserTest('who continues before signing in again keeps what the page has, also from another window', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/beeswax-candles/show', 'Beeswax candles');
  await page.getByLabel('Category').fill('light');
  await sendAsSessionEnds(page, () => button(page, 'Save').click());
  await button(page, 'Continue').click();
  await dialog(page).getByText('You are not signed in to this store. Sign in again.').waitFor();
  // As when the window of the mailbox is closed.
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");

  const link = await linkFrom(stack, owner, () => button(page, 'Email me a link').click());
  const tab = await openTab(t, page);
  await tab.goto(link);
  await button(tab, 'Sign in').click();
  await heading(tab, 'Today').waitFor();
  await page.getByText('Product saved.').waitFor();
  t.is((await clientsOf(stack).admin.getProduct('beeswax-candles')).product.category, 'light');
});

browserTest('who looks for the code for a minute and then cancels is told what was missing', async (t) => {
  // The clock is that of all pages of the window.
  const page = await signIn(t);
  await page.clock.install();
  await openInConsole(page, t.context.stack, '/gift-cards', 'Gift cards');
  const rejected = { error: 'second_factor_required', detail: 'Verify the session first.' };
  await page.route('**/admin/gift-cards', async (route, request) => {
    if (request.method() === 'GET') await route.continue();
    else await route.fulfill({ status: 403, json: rejected });
  });
  await button(page, 'New gift card').click();
  await dialog(page).getByLabel('Balance').fill('25');
  await confirm(page, 'Issue the gift card');
  const gate = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await gate.waitFor();
  await page.clock.fastForward(60_000);
  await gate.getByRole('button', { name: 'Cancel' }).click();
  t.is(await dialog(page).getByRole('alert').innerText(), rejected.detail);
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
});

browserTest('who clicks twice on the sign-in page gets one link', async (t) => {
  const { browser, stack } = t.context;
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => request.url().endsWith('/sign-in/request') && requests.push(request.url()));
  await page.goto(`${stack.url}/admin?store=${stack.store.slug}`);
  await page.getByLabel('Email').fill('double@cedar.example');
  await button(page, 'Email me a link').dblclick();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  t.is(requests.length, 1);
});

browserTest('a link to a page leads there once its reader has signed in', async (t) => {
  const { browser, stack } = t.context;
  const email = 'link@cedar.example';
  await clientsOf(stack).admin.inviteStaff({ email, name: 'Lin', role: 'manager' });
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  t.teardown(() => context.close());
  const page = await context.newPage();
  const signInThere = async (path: string) => {
    await page.goto('about:blank');
    await page.goto(`${stack.url}/admin?store=${stack.store.slug}#${path}`);
    await page.getByLabel('Email').fill(email);
    const link = await linkFrom(stack, email, () => button(page, 'Email me a link').click());
    await page.goto(link);
    await button(page, 'Sign in').click();
  };
  await signInThere('/products?filter=%7B%22q%22%3A%22bowl%22%7D');
  await heading(page, 'Products').waitFor();
  t.is(await page.getByPlaceholder('Name or SKU').inputValue(), 'bowl');

  await button(page, 'Lin').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signInThere('/');
  await heading(page, 'Today').waitFor();
  t.true(page.url().endsWith('/admin#/'), page.url());
});

browserTest('the pages of a closed store say that shoppers cannot reach it', async (t) => {
  const page = await openOwnTab(t);
  await changeStoreOfSession(page, { closed_at: '2026-01-02T03:04:05Z' });
  for (const [path, title] of [
    ['/', 'Today'],
    ['/orders', 'Orders'],
  ] as const) {
    await openInConsole(page, t.context.stack, path, title);
    await page.getByRole('alert').filter({ hasText: 'has been closed since Jan 2, 2026' }).waitFor();
  }
  t.pass();
});
