import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Dialog, Locator, Page, Request, Route } from 'playwright-core';

import type { Body } from '#src/client/src/index.ts';
import { ensureConsole } from '#src/console/build/ensure-built.ts';
import { type Receiver, startReceiver } from '#src/dev/demo/receiver.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { complaintsOf, hasBrowser, launchBrowser } from '#test/support/browser.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import {
  buyMug,
  consolePages,
  heading,
  linkFrom,
  openInConsole,
  owner,
  recordPages,
  signInToConsole,
} from '#test/support/walk-console.ts';

interface ConsoleContext {
  receiver: Receiver;
  stack: Stack;
  browser: Browser;
}
const test = anyTest as TestFn<ConsoleContext>;
const browserTest = hasBrowser ? test.serial : test.serial.skip;

const london = { line1: '10 Downing St', city: 'London', postal_code: 'SW1A 2AA', country: 'GB' };
const sanFrancisco = { line1: '1 Market St', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' };
const abroad = { email: 'jisoo@shopper.example', name: '김지수', address: london };
const atHome = { email: 'grace@shopper.example', name: 'Grace', address: sanFrancisco };

test.before(async (t) => {
  t.timeout(180_000);
  if (!hasBrowser) return;
  const receiver = await startReceiver();
  const [stack, browser] = await Promise.all([
    startStack(receiver, { workers: 'all', environment: { WEBHOOK_RETRY_SCHEDULE: '0s,1s', RATE_LIMIT_SCALE: '100' } }),
    launchBrowser(),
    ensureConsole(),
  ]);
  t.context = { receiver, stack, browser };
});
test.after.always(async (t) => {
  await t.context.browser?.close();
  await t.context.stack?.stop();
  t.context.receiver?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();

async function openWindow({ browser, stack }: ConsoleContext, email: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await signInToConsole(page, stack, email);
  return page;
}

/** A window of someone who has just signed in. */
async function signIn(t: ExecutionContext<ConsoleContext>, email = owner): Promise<Page> {
  const page = await openWindow(t.context, email);
  t.teardown(() => page.context().close());
  return page;
}

/** The links of a page to others that are not in the menu, because the role does not allow them. */
async function deniedLinks(page: Page): Promise<string[]> {
  const targets = (links: Locator) =>
    links.evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split(/[/?]/)[1] ?? ''));
  const allowed = await targets(page.getByRole('menuitem'));
  return (await targets(page.locator('main a[href^="#/"]'))).filter((target) => !allowed.includes(target));
}

/** Evaluated in a page: where quantities and names begin on the screen, in the order in which a cell has them. */
const leftsOfParts = `(() => {
  const text = [...document.querySelectorAll('td')].find(({ textContent }) => textContent.includes('صحن')).firstChild;
  return [...text.data.matchAll(/\\d+|\\p{L}+/gu)].map(({ index, 0: part }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + part.length);
    return range.getBoundingClientRect().left;
  });
})()`;

let ownersWindow: Page | undefined;

/** The owner's window, which stays open from one test to the next, unless one fails. */
async function openConsole(t: ExecutionContext<ConsoleContext>): Promise<Page> {
  ownersWindow ??= await openWindow(t.context, owner);
  t.teardown(() => {
    if (!t.passed) ownersWindow = undefined;
  });
  return ownersWindow;
}

async function openTab(t: ExecutionContext<ConsoleContext>, window: Page): Promise<Page> {
  const tab = await window.context().newPage();
  t.teardown(() => tab.close());
  return tab;
}

/** A tab of the owner's window for a test that changes what its page is sent, or its size. */
const openOwnTab = async (t: ExecutionContext<ConsoleContext>) => openTab(t, await openConsole(t));

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

/** Do what needs the second factor, and enter the code that is emailed then. */
async function verifyAfter(page: Page, { mailboxUrl }: Stack, act: () => Promise<void>, email = owner): Promise<void> {
  const mailbox = mailboxControl(mailboxUrl);
  const filter = { to: email, subject: 'Your code' };
  const before = (await mailbox.messages(filter)).length;
  await act();
  await enterCode(page, await until(async () => (await mailbox.messages(filter))[before], { what: 'the code' }));
}

/** The same in the owner's window, whose session may be verified already, until it is done. An owner gets few links. */
async function doVerified(page: Page, { mailboxUrl }: Stack, act: () => Promise<void>, done: Locator): Promise<void> {
  const mailbox = mailboxControl(mailboxUrl);
  const filter = { to: owner, subject: 'Your code' };
  const before = (await mailbox.messages(filter)).length;
  await act();
  const gate = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await gate.or(done).first().waitFor();
  if (await gate.isVisible()) await enterCode(page, await until(async () => (await mailbox.messages(filter))[before]));
  await done.waitFor();
}

async function enterCode(page: Page, { text }: { readonly text: string | null }): Promise<void> {
  const gate = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await gate.getByLabel('Code').fill(/^\s*([A-Z0-9-]{6,})\s*$/m.exec(text ?? '')?.[1] ?? '');
  await button(page, 'Confirm').click();
}

browserTest(
  'an owner signs in from the mailbox and buys a label for an international order at a chosen rate',
  async (t) => {
    t.timeout(180_000);
    const { stack } = t.context;
    const order = await buyMug(stack, abroad);
    const page = await openConsole(t);
    const complaints = complaintsOf(page);
    const { admin } = clientsOf(stack);
    await until(async () => (await admin.getOrder(order.id)).order.fulfillment_status === 'needs_attention');

    await page.reload();
    await page.getByRole('link', { name: /^Labels are bought automatically within the United States only/ }).click();
    await heading(page, 'Labels that wait').waitFor();
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
  t.timeout(180_000);
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
  await confirm(page, 'Try again');
  await dialog(page).waitFor({ state: 'detached' });
  await until(async () => (await admin.getOrder(order.id)).order.label?.state === 'purchased');
});

browserTest(
  'an order is found by its number, and one of its items is refunded once, though the response was lost',
  async (t) => {
    t.timeout(180_000);
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    const order = await buyMug(stack, atHome);
    await until(async () => (await admin.getOrder(order.id)).order.status === 'paid');
    const page = await openConsole(t);
    await openInConsole(page, stack, '/orders', 'Orders');
    await page.getByPlaceholder('Number, email or tracking').fill(order.number);
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
  t.timeout(180_000);
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
  t.is(await page.getByText('nothing of this order was so far', { exact: false }).count(), 0);
});

browserTest('the back button warns before the input of an open form is lost', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/', 'Today');
  await page.getByRole('menuitem', { name: 'Orders' }).click();
  await page.getByRole('menuitem', { name: 'Promo codes' }).click();
  await button(page, 'New promo code').click();
  const code = dialog(page).getByLabel(/^Code/);
  await code.fill('HALF-WRITTEN');
  let warnings = 0;
  page.once('dialog', async (warning) => {
    warnings += 1;
    await warning.dismiss();
  });
  await page.goBack();
  await until(() => warnings === 1);
  t.is(await code.inputValue(), 'HALF-WRITTEN');
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
  await dialog(page).waitFor({ state: 'detached' });
});

browserTest('a form is closed at once without input, and with input after a question only', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/promo-codes', 'Promo codes');
  let warnings = 0;
  const dismiss = async (warning: Dialog) => {
    warnings += 1;
    await warning.dismiss();
  };
  page.on('dialog', dismiss);
  t.teardown(() => page.off('dialog', dismiss));
  await button(page, 'New promo code').click();
  await dialog(page).press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  t.is(warnings, 0);

  await button(page, 'New promo code').click();
  const code = dialog(page).getByLabel(/^Code/);
  await code.fill('HALF-WRITTEN');
  await code.press('Escape');
  await until(() => warnings === 1, { withinMs: 20_000 });
  await confirm(page, 'Close');
  await until(() => warnings === 2, { withinMs: 20_000 });
  t.is(await code.inputValue(), 'HALF-WRITTEN');
  page.off('dialog', dismiss);
  page.once('dialog', (warning) => warning.accept());
  await code.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
});

browserTest('a form that is incomplete or rejected says so beside its button, and nothing covers it', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/promo-codes', 'Promo codes');
  await button(page, 'New promo code').click();
  await dialog(page).getByLabel('Percent').fill('15');
  await confirm(page, 'Create the promo code');
  await dialog(page).getByRole('alert').getByText('Correct the fields that are marked.').waitFor({ timeout: 20_000 });
  t.is(await page.evaluate('document.activeElement.name'), 'code');
  t.is(await page.locator('.MuiSnackbar-root').count(), 0);

  await dialog(page).getByLabel(/^Code/).fill('BACKWARDS');
  await dialog(page).getByLabel('From', { exact: true }).fill('2026-06-02T10:00');
  await dialog(page).getByLabel('Until').fill('2026-06-01T10:00');
  await confirm(page, 'Create the promo code');
  await dialog(page).getByRole('alert').getByText('Until must be later than From.').waitFor({ timeout: 20_000 });
  for (const part of [dialog(page).getByRole('heading'), dialog(page).locator('[type=submit]')]) {
    const { y = -1, height = 0 } = (await part.boundingBox()) ?? {};
    t.true(y >= 0 && y + height <= 900, 'the title and the buttons are seen');
  }
  t.is(await page.locator('.MuiSnackbar-root').count(), 0);
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
  await dialog(page).waitFor({ state: 'detached' });
});

/** Forms that are filled in: the page, its heading, and the button that opens the form where it is a dialog. */
const filledForms = [
  ['/promo-codes', 'Promo codes', 'Edit'],
  ['/products/oak-bowl/show', 'Oak bowl', undefined],
  ['/content/article%2Fcare-for-wood/show', 'How to care for wood', undefined],
  ['/settings/store', 'Settings', undefined],
  ['/settings/shipping', 'Settings', undefined],
  ['/settings/reminders', 'Settings', undefined],
] as const;

/** Evaluated in a page: the sources of the form's inputs, as JSON pointers. */
const pathsOfInputs = `[...document.querySelectorAll('form .ra-input')].map((input) => '/' + (
  (!input.querySelector('.ra-input') && input.querySelector('[name]')?.name)
  || [...input.classList].find((name) => name.startsWith('ra-input-')).replace('ra-input-', '')).replaceAll('.', '/'))`;

/** Evaluated in a page: what stands at the form's inputs. */
const labelsOfInputs = `[...document.querySelectorAll('form :is(label, legend, .MuiFormLabel-root)')]
  .map(({ textContent }) => textContent.replace(/\\s*\\*$/, ''))`;

browserTest('what is wrong with a field is said with the label that its form has', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  await clientsOf(stack).admin.createPromoCode({ code: 'LABELS', type: 'percent', value: 5 });
  const page = await openConsole(t);
  for (const [path, title, opener] of filledForms) {
    await openInConsole(page, stack, path, title);
    if (opener) await button(page, opener).first().click();
    const form = page.locator('form').filter({ has: page.locator('[type=submit]') });
    await form.locator('.ra-input').first().waitFor();
    const paths = await page.evaluate<string[]>(pathsOfInputs);
    t.true(paths.length > 4, path);
    const issues = paths.map((path) => ({ path, code: 'invalid', detail: 'is wrong' }));
    const body = { error: 'validation_failed', detail: 'The input is not valid.', errors: issues, request_id: 'req_1' };
    const reject = (route: Route) =>
      route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 422, json: body });
    await page.route('**/api/v1/admin/**', reject);
    await form.locator('[type=submit]').click();
    const alert = form.getByRole('alert').filter({ hasText: 'is wrong' });
    const lines = (await alert.innerText()).split('\n');
    const labels = await page.evaluate<string[]>(labelsOfInputs);
    const names = lines.map((line) => line.replace(' is wrong.', '').split(', ').at(-1) ?? '');
    t.is(names.length, paths.length, path);
    t.deepEqual(
      names.filter((name) => !labels.some((label) => label.endsWith(name))),
      [],
      path,
    );
    await page.unroute('**/api/v1/admin/**', reject);
    if (opener) await confirm(page, 'Close');
  }
});

/** Evaluated in a page: what is said below each input of a time. */
const descriptionsOfTimes = `[...document.querySelectorAll('input[type=datetime-local]')].map((input) =>
  document.getElementById(input.getAttribute('aria-describedby'))?.textContent ?? '')`;

browserTest('inputs of times say in which time zone they are', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  for (const [path, title, opener] of [
    ['/promo-codes', 'Promo codes', 'New promo code'],
    ['/exports', 'Exports', 'New export'],
    ['/settings/keys', 'Settings', 'New key'],
    ['/content/create', 'New entry', undefined],
  ] as const) {
    await openInConsole(page, stack, path, title);
    if (opener) await button(page, opener).click();
    await page.locator('input[type=datetime-local]').first().waitFor();
    const descriptions = await page.evaluate<string[]>(descriptionsOfTimes);
    t.true(descriptions.length > 0, path);
    for (const text of descriptions) t.regex(text, /In the time zone of this computer: \p{L}+/u, path);
    if (opener) await confirm(page, 'Close');
  }
});

browserTest('inputs of times take no year of five digits, which would be no time', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  await button(page, 'New promo code').click();
  await dialog(page).getByLabel('Code').fill('YEAR26');
  await dialog(page).getByLabel('Percent').fill('5');
  await dialog(page).getByLabel('Until').press('Home');
  await page.keyboard.type('1231202611');
  await page.keyboard.type('59AM');
  await confirm(page, 'Create the promo code');
  await page.getByRole('cell', { name: 'YEAR26' }).waitFor();
  const [promo] = (await clientsOf(stack).admin.listPromoCodes({ limit: 1 })).promo_codes;
  t.regex(promo?.ends_at ?? '', /^(2026-12-31|2027-01-01)T/);
});

browserTest('a list stays as it is until the email that filters it is complete', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  await buyMug(stack, atHome);
  const { email } = atHome;
  const page = await openOwnTab(t);
  const queries: (string | null)[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/admin/customers')) queries.push(searchParams.get('email'));
  });
  await openInConsole(page, stack, '/customers', 'Customers');
  const input = page.getByLabel('Email');
  await input.fill(email.slice(0, 3));
  await page.getByText('Must be a valid email').waitFor();
  await input.fill(email);
  await until(() => queries.includes(email));
  await page.getByRole('cell', { name: email }).waitFor();
  t.deepEqual([...new Set(queries)], [null, email]);
  t.is(await page.getByRole('alert').count(), 0);
});

browserTest('what does not exist is not said to be there at another try', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/products/no-such-bowl/show', 'Products');
  const said = page.getByRole('alert').filter({ hasText: 'There is no such product.' });
  t.is(await said.innerText(), 'There is no such product.');
});

browserTest('a gift card that was disabled is said to be, without the button that did it', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { code } = await clientsOf(stack).admin.createGiftCard({ balance_cents: 500 });
  const page = await openConsole(t);
  await openInConsole(page, stack, '/gift-cards', 'Gift cards');
  const row = page.getByRole('row', { name: code.slice(-4) });
  await row.getByRole('cell', { name: 'Active' }).waitFor();
  await row.getByRole('button', { name: 'Disable' }).click();
  await confirm(page, 'Disable');
  await row.getByRole('cell', { name: 'Disabled' }).waitFor();
  t.is(await row.getByRole('button').count(), 0);
});

browserTest('why a list cannot be read is said once, where the list would be', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/content', 'Content');
  await page.getByLabel('Type').fill('No type');
  await page.getByText('Type must be written like article.').waitFor();
  t.is(await page.getByRole('alert').count(), 1);
});

browserTest('a list that cannot be read again stays, with the form that is open in it', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  await clientsOf(stack).admin.createPromoCode({ code: 'STAYS', type: 'percent', value: 5 });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  await page.getByRole('row', { name: /STAYS/ }).getByRole('button', { name: 'Edit' }).click();
  const limit = dialog(page).getByLabel('How often in all');
  await limit.fill('77');
  const unavailable = { status: 503, json: { error: 'service_unavailable', detail: 'Not available now.' } };
  await page.route('**/admin/promo-codes?*', (route) => route.fulfill(unavailable));
  // As when the window of another program is closed.
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('Not available now.').waitFor({ state: 'attached' });
  t.is(await limit.inputValue(), '77');
  await page.unroute('**/admin/promo-codes?*');
  await confirm(page, 'Save');
  await page.getByRole('cell', { name: '0 of 77' }).waitFor();
  t.is(await page.getByText('Not available now.').count(), 0);
});

browserTest('a page that is opened with the keyboard has the focus at its heading', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.getByRole('menuitem', { name: 'Products' }).press('Enter');
  await page.getByRole('link', { name: 'Oak bowl' }).press('Enter');
  await heading(page, 'Oak bowl').waitFor();
  await until(() => page.evaluate<boolean>('document.activeElement.tagName === "H1"'), { withinMs: 20_000 });
  t.pass();
});

/** Evaluated in a page: what has the focus. */
const focused = '`${document.activeElement.name || document.activeElement.textContent}`';

browserTest('a form that was sent leaves the focus where it was, and takes no input that would be lost', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/content/article%2Fcare-for-wood/show', 'How to care for wood');
  const author = page.getByLabel('Author');
  await author.fill('By keyboard');
  const { held, release } = await holdRequests(page, '**/admin/content/article/care-for-wood');
  await author.press('Enter');
  await until(() => held.some((route) => route.request().method() === 'PUT'));
  await page.keyboard.type('lost');
  await release();
  await page.getByText('The entry is up to date.').waitFor();
  await until(async () => (await page.evaluate(focused)) === 'author', { withinMs: 20_000 });
  t.is(await author.inputValue(), 'By keyboard');

  await page.route('**/admin/content/**', (route) => route.fulfill({ status: 500, json: { error: 'internal_error' } }));
  await author.fill('By button');
  await button(page, 'Save').press('Enter');
  await until(async () => (await page.evaluate(focused)) === 'Try again', { withinMs: 20_000 });
  t.is(await author.inputValue(), 'By button');
});

browserTest('a button that is gone once it was used leaves the focus beside it', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  for (const code of ['KEYBOARD1', 'KEYBOARD2', 'KEYBOARD3'])
    await admin.createPromoCode({ code, type: 'percent', value: 5 });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  await page
    .getByRole('row', { name: /KEYBOARD2/ })
    .getByRole('button', { name: 'Delete' })
    .press('Enter');
  await dialog(page).getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('row', { name: /KEYBOARD2/ }).waitFor({ state: 'detached' });
  await until(() => page.evaluate<boolean>('document.activeElement.closest("tbody") !== null'), { withinMs: 20_000 });
  t.pass();
});

browserTest('every list says where it is empty what it is for', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const lists = consolePages.filter(([path]) => /^\/[a-z-]+$/.test(path) && !unlisted.includes(path));
  await page.route('**/api/v1/admin/**', async (route) => {
    if (route.request().url().includes('/session')) return route.fallback();
    const response = await route.fetch();
    const body = Object.entries({ ...((await response.json()) as object), cursor: null });
    await route.fulfill({
      json: Object.fromEntries(body.map(([name, value]) => [name, Array.isArray(value) ? [] : value])),
    });
  });
  const texts: string[] = [];
  for (const [path, title] of lists) {
    await openInConsole(page, stack, path, title);
    const text = (await page.locator('main p').last().textContent()) ?? '';
    t.true(text.split(' ').length >= 8, `${path}: ${text}`);
    texts.push(text);
  }
  t.is(new Set(texts).size, lists.length);
});

/** Pages that are no lists. */
const unlisted: readonly string[] = ['/analytics', '/settings', '/my-account'];

/** Hold what is requested, so that a test decides what arrives when. */
async function holdRequests(page: Page, url: string): Promise<{ held: Route[]; release: () => Promise<void> }> {
  const held: Route[] = [];
  let isReleased = false;
  const hold = async (route: Route) => {
    if (isReleased) await route.continue();
    else held.push(route);
  };
  await page.route(url, hold);
  const release = async () => {
    isReleased = true;
    await Promise.all(held.splice(0).map((route) => route.continue()));
    await page.unroute(url, hold);
  };
  return { held, release };
}

browserTest('what a list or a record has is read at the same time as the script of its page, and once', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const [order, product] = await recordPages(stack);
  const lists = consolePages.filter(([path]) => path === '/orders' || path === '/promo-codes');
  for (const [path, title] of [...lists, ...[order, product].filter((page) => page !== undefined)]) {
    await page.goto('about:blank');
    await openInConsole(page, stack, '/my-account', 'My account');
    const scripts = await holdRequests(page, '**/admin/assets/*.js');
    const reads: Request[] = [];
    const onRead = (request: Request) => void (request.url().includes('/api/v1/admin/') && reads.push(request));
    page.on('request', onRead);
    await page.goto(`${stack.url}/admin#${path}`);
    const first = await until(() => reads[0], { withinMs: 20_000, what: `what ${path} has` });
    t.true(scripts.held.length > 0, path);
    await first.response();
    await scripts.release();
    await heading(page, title).waitFor();
    page.off('request', onRead);
    if (!path.endsWith('/show')) t.is(reads.length, 1, path);
  }
});

browserTest('the script of the first page is read while it is found out who is signed in', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  for (const [fragment, script, title] of [
    ['#/', 'today', 'Today'],
    ['#/products/create', 'product-create', 'New product'],
    ['#/products/oak-bowl/show', 'product-page', 'Oak bowl'],
    ['#/orders?page=1', 'order-list', 'Orders'],
  ] as const) {
    await page.goto('about:blank');
    const session = await holdRequests(page, '**/api/v1/admin/session');
    await Promise.all([
      page.waitForRequest((request) => request.url().includes(`/assets/${script}-`), { timeout: 20_000 }),
      page.goto(`${stack.url}/admin${fragment}`),
    ]);
    await until(() => session.held.length > 0);
    await session.release();
    await heading(page, title).waitFor();
  }
  t.pass();
});

/** Evaluated in a page: add up how far what is shown is moved by what arrives after it. */
const addUpShifts = `{
  window.shifts = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { window.shifts += value; }))
    .observe({ type: 'layout-shift' });
}`;

/** Evaluated in a page: resolves when it has painted what it has. */
const painted = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))';

/** Opens a page whose parts arrive one by one, the last one that was requested first. @returns how far it moved */
async function shiftsOf(page: Page, stack: Stack, path: string, title: string): Promise<number> {
  await page.goto('about:blank');
  const { held, release } = await holdRequests(page, '**/api/v1/admin/**');
  await page.goto(`${stack.url}/admin#${path}`);
  const isComplete = async () =>
    (await heading(page, title).isVisible()) && (await page.locator('[aria-label="Loading"]').count()) === 0;
  do {
    const before = held.length;
    await page.evaluate(painted);
    if (held.length > before) continue;
    const route = held.pop();
    await route?.fulfill({ response: await route.fetch() });
  } while (held.length > 0 || !(await isComplete()));
  await release();
  await page.evaluate(painted);
  return page.evaluate<number>('window.shifts');
}

browserTest('what is shown does not move when other parts of its page arrive later', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await page.addInitScript(addUpShifts);
  // A list is one part; the others have one column at any width.
  const pages = [...consolePages, ...(await recordPages(stack))].filter(
    ([path]) => path === '/' || path.endsWith('/show') || unlisted.some((each) => path.startsWith(each)),
  );
  const wide = pages.filter(([path]) => ['/', '/analytics', '/settings'].includes(path));
  for (const [width, shown] of [
    [360, pages],
    [1280, wide],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    for (const [path, title] of shown) {
      const shifts = await shiftsOf(page, stack, path, title);
      t.true(shifts < 0.1, `${path} of ${width} pixels moves by ${shifts}`);
    }
  }
});

browserTest('amounts of a currency that has no fraction are written and shown without one', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  await clientsOf(stack).admin.createPromoCode({ code: 'WHOLE', type: 'fixed', value_cents: 150_000 });
  const page = await openOwnTab(t);
  await page.route('**/api/v1/admin/session', async (route) => {
    const session = (await (await route.fetch()).json()) as { store: object };
    await route.fulfill({ json: { ...session, store: { ...session.store, currency: 'ISK' } } });
  });
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  const cells = await page.getByRole('row', { name: /WHOLE/ }).getByRole('cell').allTextContents();
  t.is(cells[1]?.replace(/\s/, ' '), 'ISK 1,500');
  await button(page, 'New promo code').click();
  await dialog(page).getByLabel(/^Code/).fill('KRONUR');
  await dialog(page).getByLabel('Percent').fill('15');
  const subtotal = dialog(page).getByLabel('From a subtotal of (ISK)');
  await subtotal.fill('1.500,50');
  await confirm(page, 'Create the promo code');
  await dialog(page).getByText('Write it like 12.').waitFor();
  await subtotal.fill('ISK 1.500');
  await subtotal.blur();
  t.is(await subtotal.inputValue(), '1500');
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('/promo-codes'));
  await confirm(page, 'Create the promo code');
  t.is((await sent).postDataJSON().min_subtotal_cents, 150_000);
});

browserTest('a percentage and a weight are shown and edited with all of their decimals', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await admin.createPromoCode({ code: 'PRECISE', type: 'percent', value: 0.125 });
  await admin.savePartner({ code: 'precise', name: 'Precise', commission_percent: 7.1255 });
  const page = await openOwnTab(t);
  for (const [path, title, label, shown] of [
    ['/promo-codes', 'Promo codes', 'Percent', '0.125'],
    ['/partners', 'Partners', 'Commission in percent of an order', '7.1255'],
  ] as const) {
    await openInConsole(page, stack, path, title);
    const row = page.getByRole('row', { name: /PRECISE/i });
    await row.getByRole('cell', { name: `${shown} %`, exact: true }).waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    t.is(await dialog(page).getByLabel(label).inputValue(), shown);
    await confirm(page, 'Save');
    await dialog(page).waitFor({ state: 'detached' });
  }
  const variants = [{ sku: 'FEATHER', price_cents: 100, weight_oz: 0.002 }];
  await admin.createProduct({ slug: 'feather', name: 'Feather', variants });
  await openInConsole(page, stack, '/products/feather/show', 'Feather');
  t.is(await page.getByLabel('Weight (oz)').inputValue(), '0.002');
});

browserTest(
  'a refund whose response was lost is made once, though its form was closed and filled in again',
  async (t) => {
    t.timeout(180_000);
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

browserTest('a session that has ended is signed in again in another tab, and the request is then sent', async (t) => {
  t.timeout(300_000);
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
  await page.getByRole('cell', { name: 'LATE15' }).waitFor();
  t.pass();
});

browserTest('a member who was revoked is not told that a link to sign in is on its way', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const email = 'gone@cedar.example';
  const { staff: member } = await admin.inviteStaff({ email, name: 'Robin', role: 'manager' });
  const page = await signIn(t, email);
  await admin.revokeStaff(member.id);
  await page.getByRole('menuitem', { name: 'Orders' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await button(page, 'Email me a link').click();
  const said = dialog(page).getByRole('alert');
  t.is(
    await said.innerText(),
    `If ${email} still belongs to the staff of this store, a link is on its way. Open it in this browser.`,
  );
});

browserTest('who continues before signing in again keeps what the page has, also from another window', async (t) => {
  t.timeout(300_000);
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
  await page.getByText('The product is up to date.').waitFor();
  t.is((await clientsOf(stack).admin.getProduct('beeswax-candles')).product.category, 'light');
});

browserTest('two people who edit one product see both versions, and decide', async (t) => {
  t.timeout(300_000);
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
  await first.getByText('The product is up to date.').waitFor();

  await category(second).fill('tableware');
  await was(second).fill('98');
  await button(second, 'Save').click();
  const row = dialog(second).getByRole('row', { name: /Category/ });
  await row.waitFor();
  t.deepEqual(await row.getByRole('cell').allTextContents(), ['Category', 'bowls', 'tableware']);
  const price = dialog(second).getByRole('row', { name: 'Was' });
  t.deepEqual(await price.getByRole('cell').allTextContents(), ['Variants, 1, Was (USD)', '$99.00', '$98.00']);
  await confirm(second, 'Save yours');
  await second.getByText('The product is up to date.').waitFor();
  const { product } = await clientsOf(stack).admin.getProduct('oak-bowl');
  t.is(product.category, 'tableware');
  t.is(product.description, 'Turned from oak.');
});

browserTest('who edits an entry that has been changed meanwhile may take the other version', async (t) => {
  t.timeout(300_000);
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
  await page.getByText('The entry is up to date.').waitFor();
  t.is(await author.inputValue(), 'Theirs');
  t.is((await admin.getEntry('article', 'care-for-wood')).entry.author, 'Theirs');
});

browserTest('a product is created with the price that was entered, and not without one', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  const { admin } = clientsOf(stack);
  await openInConsole(page, stack, '/products/create', 'New product');
  await page.getByLabel('Slug').fill('ash-tray');
  await page.getByLabel('Name').first().fill('Ash tray');
  await page.getByLabel('SKU').fill('ASH-1');
  await button(page, 'Create').click();
  await page.getByText('Required').first().waitFor();
  await page.getByLabel('Price (USD)', { exact: false }).first().fill('$12.50');
  await button(page, 'Create').click();
  await heading(page, 'Ash tray').waitFor();
  t.is((await admin.getProduct('ash-tray')).product.variants[0]?.price_cents, 1250);
});

browserTest(
  'a variant gets another SKU, and its name follows that of its product if it has none of its own',
  async (t) => {
    t.timeout(180_000);
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    await admin.createProduct({
      slug: 'renamed',
      name: 'Ash bowl',
      variants: [{ sku: 'RENAMED-1', price_cents: 1200, stock: 3 }],
    });
    const page = await openConsole(t);
    await openInConsole(page, stack, '/products/renamed/show', 'Ash bowl');
    await page.getByLabel('Name *').fill('Walnut bowl');
    await page.getByLabel('SKU').fill('WALNUT-1');
    await button(page, 'Save').click();
    await heading(page, 'Walnut bowl').waitFor();
    const { variants } = (await admin.getProduct('renamed')).product;
    t.like(variants, only({ sku: 'WALNUT-1', name: 'Walnut bowl', stock: 3 }));
  },
);

browserTest('the options of a variant are edited as text', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const variants = [{ sku: 'OPTIONS-1', price_cents: 1200, options: { Size: 'Small', Color: 'Red' } }];
  await admin.createProduct({ slug: 'with-options', name: 'Pear bowl', variants });
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/with-options/show', 'Pear bowl');
  const options = page.getByLabel('Options');
  t.is(await options.inputValue(), 'Size=Small; Color=Red');
  await options.fill('Size=Small; Red');
  await button(page, 'Save').click();
  await page.getByText('Write them like Size=Small; Color=Red, each name once.').waitFor();
  await options.fill('Size=Large; Color=Dark red');
  await button(page, 'Save').click();
  await page.getByText('The product is up to date.').waitFor();
  t.deepEqual((await admin.getProduct('with-options')).product.variants[0]?.options, {
    Size: 'Large',
    Color: 'Dark red',
  });
});

/** A product with as many variants as the API takes. */
async function createPaint({ stack }: ConsoleContext, slug: string): Promise<void> {
  const variants = Array.from({ length: 100 }, (_, index) => ({
    sku: `${slug}-${index}`,
    options: { Shade: `No. ${index}` },
    price_cents: 1000 + index,
    stock: index,
  }));
  await clientsOf(stack).admin.createProduct({ slug, name: 'Milk paint', variants });
}

browserTest('a product with many variants has the inputs of those that are opened, and of no other one', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await createPaint(t.context, 'paint');
  const { variants: before } = (await admin.getProduct('paint')).product;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/paint/show', 'Milk paint');
  const inputs = page.locator('form [name^="variants."]');
  const line = page.getByRole('button', { name: 'No. 57' });
  t.is(await line.innerText(), ['No. 57', 'paint-57', '$10.57', '57 on hand'].join('\n'));
  t.is(await inputs.count(), 0);

  await line.press('Enter');
  const sku = page.getByLabel('SKU');
  await sku.fill('');
  t.is(await inputs.count(), 10);
  await line.click();
  await page.getByText('Required').waitFor();
  t.is(await line.getAttribute('aria-expanded'), 'true');
  await sku.fill('paint-other');
  await page.getByText('Required').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: /^Price/ }).fill('12.50');
  await line.getByText('$12.50').waitFor();
  await line.press('Enter');
  await sku.waitFor({ state: 'detached' });
  t.is(await inputs.count(), 0);

  await page.getByRole('button', { name: 'No. 98' }).click();
  await page.getByLabel('Low stock at').fill('4');
  await page.getByLabel('Low stock at').press('Enter');
  await page.getByText('The product is up to date.').waitFor();
  await until(async () => (await page.evaluate('document.activeElement.name')) === 'variants.98.low_stock_at');
  t.is(await inputs.count(), 10);
  const after = before.map((variant, index) => ({
    ...variant,
    ...(index === 57 && { sku: 'paint-other', price_cents: 1250 }),
    ...(index === 98 && { low_stock_at: 4 }),
  }));
  t.deepEqual((await admin.getProduct('paint')).product.variants, after);
});

browserTest('a variant that is closed opens where the service rejects it', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await createPaint(t.context, 'limewash');
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/limewash/show', 'Milk paint');
  const inputs = page.locator('form [name^="variants."]');
  const line = page.getByRole('button', { name: 'No. 57' });
  await line.click();
  await page.getByLabel('SKU').fill('limewash-3');
  await line.click();
  await inputs.first().waitFor({ state: 'detached' });
  await button(page, 'Save').click();
  const sku = page.locator('[name="variants.57.sku"][aria-invalid=true]');
  await sku.waitFor();
  t.is(await inputs.count(), 10);
  t.is(await page.getByRole('alert').innerText(), 'Variants, 58, SKU is that of another variant.');
  await page.getByText('SKU is that of another variant.', { exact: true }).waitFor();

  await sku.fill('limewash-other');
  await button(page, 'Try again').click();
  await page.getByText('The product is up to date.').waitFor();
  t.is((await admin.getProduct('limewash')).product.variants[57]?.sku, 'limewash-other');

  await button(page, 'Remove variant 100').click();
  await page.locator('.ra-input-variants').getByRole('button', { name: 'Add' }).click();
  const added = page.locator('[name="variants.99.sku"]');
  t.is(await added.inputValue(), '');
  await added.fill('limewash-new');
  await page
    .getByRole('textbox', { name: /^Price/ })
    .last()
    .fill('9');
  await button(page, 'Save').click();
  await until(async () => (await admin.getProduct('limewash')).product.variants[99]?.sku === 'limewash-new');
});

browserTest('an image with another URL does not have the size of the one before', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  const [, grain] = (await admin.getProduct('oak-bowl')).product.images;
  const url = 'https://cdn.cedar.example/tall-bowl.jpg';
  await page.getByLabel('URL', { exact: false }).first().fill(url);
  await button(page, 'Save').click();
  await page.getByText('The product is up to date.').waitFor();
  const { product } = await admin.getProduct('oak-bowl');
  t.like(product.images, { length: 2, 0: { url, width: null, height: null }, 1: { ...grain } });

  await openInConsole(page, stack, '/content/article%2Fcare-for-wood/show', 'How to care for wood');
  await page.getByLabel('URL of the image').fill(url);
  await button(page, 'Save').click();
  await page.getByText('The entry is up to date.').waitFor();
  t.like((await admin.getEntry('article', 'care-for-wood')).entry.image, { url, width: null, height: null });
});

browserTest('a page that something before the service forbids says so, and is read again', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  const byFirewall = { status: 403, contentType: 'text/html', body: '<h1>Forbidden</h1>' };
  await page.route('**/admin/waitlist*', (route) => route.fulfill(byFirewall), { times: 1 });
  await page.goto(`${t.context.stack.url}/admin#/waitlist`);
  const problem = page.getByText('responded in its place, with status 403', { exact: false });
  await problem.waitFor();
  await button(page, 'Try again').click();
  await page.getByText('when a product is back in stock', { exact: false }).waitFor();
  await problem.waitFor({ state: 'detached' });
  t.pass();
});

browserTest('a page whose script does not arrive says so, and is opened by loading the console again', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.route('**/assets/audit-log-*.js', (route) => route.abort(), { times: 1 });
  await page.goto(`${stack.url}/admin#/audit-log`);
  await page.getByText('The service cannot be reached.', { exact: false }).waitFor();
  await button(page, 'Try again').click();
  await heading(page, 'Audit log').waitFor();
  t.pass();
});

browserTest('quantities stand before names that are written from right to left', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin, storefront } = clientsOf(stack);
  const slugs = ['cup', 'plate'];
  for (const [index, name] of ['كوب', 'صحن'].entries())
    await admin.createProduct({
      slug: slugs[index] ?? '',
      name,
      status: 'published',
      variants: [{ sku: name, price_cents: 1250, weight_oz: 8 }],
    });
  const session = await storefront.createCheckoutSession({
    items: slugs.map((product_slug) => ({ product_slug, variant_id: null, quantity: 3 })),
  });
  const id = session.checkout_url.split('/').at(-1) ?? '';
  await stripeControl(stack.stripeUrl).pay(id, { outcome: 'paid', ...atHome });
  await until(async () => (await admin.getOrder(session.order_id)).order.fulfillment_status === 'label_purchased');

  const page = await openConsole(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.getByRole('link', { name: session.order_number }).waitFor();
  const lefts = await page.evaluate<number[]>(leftsOfParts);
  t.is(lefts.length, 4);
  t.deepEqual(
    lefts,
    lefts.toSorted((left, right) => left - right),
  );
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
  t.timeout(180_000);
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

browserTest('a key of another service is not filled in or kept as the password of this one', async (t) => {
  t.timeout(180_000);
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

browserTest('a stock is corrected, and its history has the correction', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  const row = page.getByRole('row', { name: /BOWL-L/ });
  const before = Number(await row.getByRole('cell').nth(3).textContent());
  await row.getByRole('button', { name: 'Change' }).click();
  await dialog(page).getByLabel('Number').fill('-2');
  await confirm(page, 'Change');
  await row.getByRole('cell', { name: String(before - 2), exact: true }).waitFor();
  await row.getByRole('button', { name: 'History' }).click();
  await dialog(page).getByRole('cell', { name: '-2' }).waitFor();
  t.is(await dialog(page).getByText('These are the latest', { exact: false }).count(), 0);
  await confirm(page, 'Close');

  const { admin } = clientsOf(stack);
  for (const change of Array.from({ length: 50 }, () => [1, -1]).flat())
    await admin.changeStock({ items: [{ sku: 'BOWL-L', change }] });
  await row.getByRole('button', { name: 'History' }).click();
  await dialog(page).getByText('These are the latest 100.').waitFor();
  await confirm(page, 'Close');
});

browserTest('a counted stock cannot be negative, which its form says', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/products/oak-bowl/show', 'Oak bowl');
  await page
    .getByRole('row', { name: /BOWL-S/ })
    .getByRole('button', { name: 'Change' })
    .click();
  await dialog(page).getByLabel('what was counted').check();
  await dialog(page).getByLabel('Number').fill('-1');
  await confirm(page, 'Change');
  await dialog(page).getByText('At least 0.', { exact: true }).waitFor();
  await dialog(page).getByLabel('what came or went').check();
  await confirm(page, 'Change');
  await dialog(page).waitFor({ state: 'detached' });
  t.pass();
});

browserTest(
  'what may be negative is entered with a keyboard that has a minus, which that of numbers lacks',
  async (t) => {
    t.timeout(180_000);
    const page = await openConsole(t);
    await openInConsole(page, t.context.stack, '/products/oak-bowl/show', 'Oak bowl');
    const price = page.getByRole('textbox', { name: /^Price/ }).first();
    t.is(await price.getAttribute('inputmode'), 'decimal');
    t.is(await page.getByLabel('Low stock at').first().getAttribute('inputmode'), 'numeric');
    await page
      .getByRole('row', { name: /BOWL-S/ })
      .getByRole('button', { name: 'Change' })
      .click();
    t.is(await dialog(page).getByLabel('Number').getAttribute('inputmode'), 'text');
    await confirm(page, 'Close');
  },
);

browserTest('who chooses a kind of file that Shopify does not write has another format chosen', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/imports', 'Imports');
  await button(page, 'New import').click();
  const choose = async (label: string, name: string) => {
    await dialog(page).getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  await choose('What it contains', 'Products');
  await choose('Format', "Shopify's product file");
  await choose('What it contains', 'Stock');
  await dialog(page).getByRole('combobox', { name: 'Format' }).filter({ hasText: 'CSV' }).waitFor();
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
  t.pass();
});

browserTest('keys are not said to be replaced where none was entered', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  for (const tab of ['payments', 'shipping']) {
    await openInConsole(page, t.context.stack, `/settings/${tab}`, 'Settings');
    await button(page, 'Replace the keys').click();
    await confirm(page, 'Replace the keys');
    await dialog(page).getByText('Enter what is to be replaced.').waitFor();
    await confirm(page, 'Close');
  }
  t.pass();
});

browserTest('a counted stock is entered once, though the response was lost, and takes back no sale', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/linen-towels/show', 'Linen kitchen towels');
  const count = async (quantity: string) => {
    const row = page.getByRole('row', { name: /TOWEL-NAT/ });
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog(page).getByLabel('what was counted').check();
    await dialog(page).getByLabel('Number').fill(quantity);
  };
  const onHand = async () => (await admin.getProduct('linen-towels')).product.variants[0]?.stock;

  await count('71');
  await page.route('**/admin/stock', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await confirm(page, 'Change');
  const changed = dialog(page).getByText('That has changed meanwhile', { exact: false });
  await dialog(page)
    .getByText(/cannot be reached/)
    .waitFor();
  await changed.waitFor();
  await page.unroute('**/admin/stock');
  await confirm(page, 'Try again');
  await dialog(page).waitFor({ state: 'detached' });
  t.is(await onHand(), 71);

  await count('70');
  await admin.changeStock({ items: [{ sku: 'TOWEL-NAT', change: -5 }] });
  await changed.waitFor();
  await confirm(page, 'Change');
  await dialog(page)
    .getByText(/has changed since it was read/)
    .waitFor();
  t.is(await onHand(), 66);
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
  await count('64');
  await confirm(page, 'Change');
  await dialog(page).waitFor({ state: 'detached' });
  t.is(await onHand(), 64);
});

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
  t.timeout(300_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { order, made } = await returnMug(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/returns', 'Returns');
  const row = page.getByRole('row', { name: new RegExp(made.number) });
  for (const [step, sent = step] of [['Approve'], ['Receive'], ['Close', 'Close the return']] as const) {
    await row.getByRole('button', { name: step, exact: true }).click();
    await confirm(page, sent);
    await dialog(page).waitFor({ state: 'detached' });
  }
  await row.getByText('Closed').waitFor();
  t.deepEqual((await admin.getOrder(order.id)).order.refunds, []);
});

browserTest(
  'who corrects the postal code of an order keeps the street that another member corrected meanwhile',
  async (t) => {
    t.timeout(180_000);
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
    await page.getByText('The address is saved.').waitFor();
    t.like((await admin.getOrder(order.id)).order.shipping_address, { street1: '11 Downing St', zip: 'SW1A 2AB' });
  },
);

browserTest(
  'a member who buys no labels corrects an address that waits, and is told which one can no longer be corrected',
  async (t) => {
    t.timeout(180_000);
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
    await page.getByText('The address is saved.').waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    t.is((await admin.getOrder(waiting.id)).order.shipping_address?.zip, 'SW1A 2AB');
    t.is(await stateOf(waiting), 'needs_attention');

    await openInConsole(page, stack, `/orders/${labelled.id}/show`, labelled.number);
    await page.getByText('Its label was bought for this address', { exact: false }).waitFor();
    t.is(await edit.count(), 0);
    await admin.shipOrder(labelled.id, { carrier: 'USPS', tracking_number: 'BY HAND 1' });
    await openInConsole(page, stack, `/orders/${labelled.id}/show`, labelled.number);
    await page.getByText('BY HAND 1').waitFor();
    t.is(await edit.count(), 0);
    t.is(await page.getByText('Its label was bought for this address', { exact: false }).count(), 0);
  },
);

browserTest('who refunds a return is told what was refunded of its order before', async (t) => {
  t.timeout(300_000);
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

browserTest('a subscriber who has moved gets the next parcels at the new address', async (t) => {
  t.timeout(300_000);
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
  t.timeout(180_000);
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
  await row.getByRole('button', { name: 'Cancel', exact: true }).click();
  t.is(await dialog(page).getByText('At the end of what is paid').count(), 0);
  await dialog(page).getByLabel('At the end of the period').check();
  await confirm(page, 'Cancel the subscription');
  await row.getByText('then it ends', { exact: false }).waitFor();
  await row.getByRole('button', { name: 'Cancel now' }).click();
  await confirm(page, 'Cancel now');
  await row.getByText('Canceled', { exact: true }).waitFor();
  t.is((await found()).status, 'canceled');
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

browserTest('a wrong tracking number is corrected on the page of its order, which shows every parcel', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { id, number } = await buyMug(stack, abroad);
  await until(async () => (await admin.getOrder(id)).order.fulfillment_status === 'needs_attention');
  await admin.shipOrder(id, { carrier: 'Royal Mail', tracking_number: 'RM 1' });
  const page = await openConsole(t);
  await openInConsole(page, stack, `/orders/${id}/show`, number);
  await page.getByRole('row', { name: /RM 1/ }).getByRole('button', { name: 'Edit' }).click();
  await dialog(page).getByLabel('Tracking number').fill('RM 2');
  await confirm(page, 'Save');
  await page.getByRole('row', { name: /RM 2/ }).waitFor();
  await button(page, 'Add').click();
  await dialog(page).getByLabel('Carrier').fill('DHL');
  await dialog(page).getByLabel('Tracking number').fill('DHL 3');
  await confirm(page, 'Add the parcel');
  await page.getByRole('row', { name: /DHL 3/ }).getByRole('button', { name: 'Remove' }).click();
  await confirm(page, 'Remove');
  await page.getByText('The tracking number is removed.').waitFor();
  t.deepEqual(
    (await admin.getOrder(id)).order.labels.map((parcel) => [parcel.carrier, parcel.tracking_number]),
    [['Royal Mail', 'RM 2']],
  );
});

browserTest('a mistyped email of an order is corrected, and the receipt goes to the new one', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { id, number } = await buyMug(stack, { ...atHome, email: 'mistyped@shopper.example' });
  const page = await openConsole(t);
  await until(async () => (await clientsOf(stack).admin.getOrder(id)).order.paid_at, { what: 'the payment' });
  await openInConsole(page, stack, `/orders/${id}/show`, number);
  await button(page, 'Edit the email').click();
  await dialog(page).getByLabel('Email').fill('typed@shopper.example');
  await confirm(page, 'Save');
  await page.getByRole('link', { name: 'typed@shopper.example', exact: true }).waitFor();
  await button(page, 'Send the receipt again').click();
  await dialog(page).getByText('It goes to typed@shopper.example.').waitFor();
  await confirm(page, 'Send the receipt again');
  const filter = { to: 'typed@shopper.example', subject: `Your order ${number}` };
  await until(async () => (await mailboxControl(stack.mailboxUrl).messages(filter)).length === 1, {
    what: 'the receipt',
  });
  t.pass();
});

browserTest('an event is tried, and its delivery is sent again', async (t) => {
  t.timeout(300_000);
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

browserTest('a recovery says how many deliveries it sends again', async (t) => {
  t.timeout(180_000);
  const { stack, receiver } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/webhooks', 'Webhooks');
  await page.getByRole('link', { name: receiver.url }).click();
  await button(page, 'Recover').click();
  await dialog(page).getByLabel('Since').fill('2099-01-01T00:00');
  await confirm(page, 'Recover');
  await page.getByText('There was nothing to send again in this time.').waitFor({ timeout: 20_000 });
  t.pass();
});

browserTest('a check of a file that still runs does not say that the file changes nothing', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const [, , id] = (await recordPages(stack)).at(-1)?.[0].split('/') ?? [];
  const page = await openOwnTab(t);
  await page.route(`**/imports/${id}`, async (route) => {
    const found = (await (await route.fetch()).json()) as { import: object };
    await route.fulfill({ json: { import: { ...found.import, state: 'running', samples: [], finished_at: null } } });
  });
  await openInConsole(page, stack, `/imports/${id}/show`, 'Import of stock');
  await page.getByText('The first changes').waitFor();
  t.is(await page.getByText('The file changes nothing').count(), 0);
});

browserTest('an owner who confirms with a code changes the terms of shipping and replaces its key', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/settings/shipping', 'Settings');
  await page.getByLabel(/^Most for a label/).fill('35.50');
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
  await page.getByText('Shipping is up to date.').waitFor();
  const { shipping } = (await admin.getProviders()).providers;
  t.is(shipping?.label_cost_cap_cents, 3550);
  t.is(shipping?.parcel.length_in, 12.0625);

  await button(page, 'Replace the keys').click();
  await dialog(page).getByLabel('Webhook token').fill('another-token');
  await confirm(page, 'Replace the keys');
  await page.getByText('The keys are replaced.').waitFor();
  const replaced = (await admin.getProviders()).providers.shipping;
  t.is(replaced?.version, Number(shipping?.version) + 1);
  t.is(replaced?.label_cost_cap_cents, 3550);
});

browserTest(
  'what another member changed of an account stays when its keys are replaced or its terms edited',
  async (t) => {
    t.timeout(300_000);
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
    await other.getByLabel(/^Most for a label/).fill('41');
    await verifyAfter(other, stack, () => button(other, 'Save').click());
    await other.getByText('Shipping is up to date.').waitFor();
    await other.getByRole('tab', { name: 'Payments' }).click();
    // The page before has a button of the same name.
    await other.getByRole('heading', { name: 'Payments' }).waitFor();
    await button(other, 'Replace the keys').click();
    const publishable = `pk_test_${'b'.repeat(24)}`;
    await dialog(other).getByLabel('Publishable key').fill(publishable);
    await confirm(other, 'Replace the keys');
    await other.getByText('The keys are replaced.').waitFor();

    await confirm(page, 'Save');
    await page.getByText('Payments are up to date.').waitFor();
    await confirm(shippingPage, 'Replace the keys');
    await shippingPage.getByText('The keys are replaced.').waitFor();
    const { payments, shipping } = (await admin.getProviders()).providers;
    t.like(payments, { publishable_key: publishable, session_lifetime: '90m' });
    t.is(shipping?.label_cost_cap_cents, 4100);
  },
);

browserTest(
  'terms of payment that another member changed stay, though the page is read again in between',
  async (t) => {
    t.timeout(300_000);
    const { stack } = t.context;
    const page = await openOwnTab(t);
    await openInConsole(page, stack, '/settings/payments', 'Settings');
    await button(page, 'Edit').click();
    await dialog(page).getByLabel('Let the provider calculate tax').check();

    const other = await openOwnTab(t);
    await openInConsole(other, stack, '/settings/payments', 'Settings');
    await button(other, 'Edit').click();
    await dialog(other).getByLabel('How long a shopper has to pay').fill('95m');
    await doVerified(other, stack, () => confirm(other, 'Save'), other.getByText('Payments are up to date.'));

    // As when someone comes back to the page.
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('95m').waitFor();
    await confirm(page, 'Save');
    await page.getByText('Payments are up to date.').waitFor();
    const { payments } = (await clientsOf(stack).admin.getProviders()).providers;
    // Other tests expect prices without tax.
    await button(page, 'Edit').click();
    await dialog(page).getByLabel('Let the provider calculate tax').uncheck();
    await confirm(page, 'Save');
    await dialog(page).waitFor({ state: 'detached' });
    t.like(payments, { session_lifetime: '95m', automatic_tax: true });
  },
);

browserTest('a file is checked, its rejected rows are downloaded, and an export of the products too', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/imports', 'Imports');
  await button(page, 'New import').click();
  await dialog(page).getByLabel('What it contains').click();
  await page.getByRole('option', { name: 'Stock' }).click();
  const buffer = Buffer.from('sku,quantity\nBOWL-M,7\nNOWHERE,1\n');
  const before = (await clientsOf(stack).admin.listImports()).imports.length;
  const stops = dialog(page).getByRole('button', { name: 'Choose a file' });
  t.deepEqual(await stops.evaluateAll((all) => all.map(({ tagName }) => tagName)), ['INPUT'], 'for the keyboard');
  await dialog(page).getByLabel('Choose a file').setInputFiles({ name: 'stock.csv', mimeType: 'text/csv', buffer });
  await dialog(page).getByText('stock.csv').waitFor();
  const byProxy = { status: 413, contentType: 'text/html', body: '<h1>Request Entity Too Large</h1>' };
  const loseResponse = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route('**/imports?*', loseResponse, { times: 1 });
  await page.route('**/imports?*', (route) => route.fulfill(byProxy), { times: 1 });
  await confirm(page, 'Send the file');
  await dialog(page).getByText('responded in its place, with status 413', { exact: false }).waitFor();
  await confirm(page, 'Try again');
  await dialog(page).getByText('it is not imported twice', { exact: false }).waitFor();
  await confirm(page, 'Try again');
  await heading(page, 'Import of stock').waitFor();
  const { imports } = await clientsOf(stack).admin.listImports();
  t.is(imports.length, before + 1);
  await page.getByText('1 row was rejected', { exact: false }).waitFor();
  const [errors] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  t.regex(readFileSync(await errors.path(), 'utf8'), /NOWHERE/);
  await page.getByText('Nothing was changed', { exact: false }).waitFor();

  await openInConsole(page, stack, '/exports', 'Exports');
  await button(page, 'New export').click();
  await dialog(page).getByRole('combobox', { name: 'What' }).click();
  await page.getByRole('option', { name: 'Products' }).click();
  await confirm(page, 'Export');
  await heading(page, 'Export of products').waitFor();
  const link = page.getByRole('link', { name: 'Download' });
  await link.waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
  t.regex(readFileSync(await file.path(), 'utf8'), /oak-bowl/);
});

browserTest('a change of many products is previewed, run and undone', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const tags = async () => (await clientsOf(stack).admin.getProduct('stoneware-mug')).product.tags;
  const before = await tags();
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products', 'Products');
  await button(page, 'Change many').click();
  await dialog(page).getByRole('combobox', { name: 'What to do' }).click();
  await page.getByRole('option', { name: 'Change tags' }).click();
  await dialog(page).getByLabel('Category').fill('table');
  await dialog(page).getByLabel('Add').fill('autumn');
  await dialog(page).getByLabel('Add').press('Enter');
  await confirm(page, 'Preview');
  await heading(page, 'Change tags').waitFor();
  await page.getByRole('row', { name: /stoneware-mug.*autumn/ }).waitFor();
  await page.getByText('Category: table').waitFor();
  t.deepEqual(await tags(), before);

  await button(page, 'Run').click();
  await confirm(page, 'Run');
  await button(page, 'Undo').click();
  t.deepEqual(await tags(), [...before, 'autumn']);
  await confirm(page, 'Undo');
  await heading(page, 'Undo: Change tags').waitFor();
  await page.getByText('Completed').waitFor();
  t.deepEqual(await tags(), before);
});

browserTest(
  'an amount by which prices fall is as large as the API takes, and a rejected price has its label',
  async (t) => {
    t.timeout(180_000);
    const page = await openConsole(t);
    await openInConsole(page, t.context.stack, '/products', 'Products');
    await button(page, 'Change many').click();
    await dialog(page).getByRole('combobox', { name: 'What to do' }).click();
    await page.getByRole('option', { name: 'Change prices' }).click();
    await dialog(page).getByLabel('Or by an amount').fill('-20000');
    await confirm(page, 'Preview');
    await heading(page, 'Change prices').waitFor();
    await page.getByRole('cell', { name: 'Price of MUG-SAND would be below zero.' }).waitFor();
    t.pass();
  },
);

browserTest('an order that a gift card pays has a total of zero', async (t) => {
  t.timeout(180_000);
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

browserTest('the form of an action does not become that of another one when its record changes', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  const { webhook_endpoint: endpoint } = await admin.createWebhookEndpoint({
    url: 'https://receiver.example/hooks',
    events: ['order.paid'],
  });
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, 'receiver.example');
  await button(page, 'Disable').click();
  await dialog(page).getByText('Its pending deliveries are discarded.', { exact: false }).waitFor();
  await admin.disableWebhookEndpoint(endpoint.id);
  await button(page, 'Enable').waitFor();
  t.is(await dialog(page).count(), 0);
});

browserTest('who edits a promo code that has been changed meanwhile sees both versions', async (t) => {
  t.timeout(300_000);
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
  await page.getByText('The promo code is up to date.').waitFor();
  t.is((await admin.listPromoCodes({ limit: 1 })).promo_codes[0]?.value, 8);
});

browserTest('a new partner does not take the place of the one who has the code already', async (t) => {
  t.timeout(180_000);
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
  await page.getByRole('cell', { name: 'Another blog' }).waitFor();
  const { partners } = await clientsOf(stack).admin.listPartners({ limit: 100 });
  t.like(
    partners.find(({ code }) => code === 'maker'),
    { name: 'The Maker Blog', commission_percent: 8 },
  );
});

browserTest('who changes the URL of an endpoint keeps the events that another member chose meanwhile', async (t) => {
  t.timeout(300_000);
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
  await doVerified(page, stack, () => confirm(page, 'Save'), page.getByText('The endpoint is changed.'));
  t.like((await admin.getWebhookEndpoint(endpoint.id)).webhook_endpoint, {
    url: 'https://edited.example/other',
    events: only('order.paid', 'order.refunded'),
    rate_per_second: 5,
  });
});

browserTest('an endpoint that gets all events of labels is changed to one of them', async (t) => {
  t.timeout(300_000);
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
  await doVerified(page, stack, () => confirm(page, 'Save'), page.getByText('The endpoint is changed.'));
  t.like((await admin.getWebhookEndpoint(endpoint.id)).webhook_endpoint, { events: only('label.voided') });
});

browserTest(
  'who changes the discount of a partner keeps the commission that another member set meanwhile',
  async (t) => {
    t.timeout(180_000);
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    await admin.savePartner({ code: 'edited', name: 'Edited', commission_percent: 8, window: '30d' });
    const page = await openOwnTab(t);
    await openInConsole(page, stack, '/partners', 'Partners');
    await page
      .getByRole('row', { name: /edited/ })
      .getByRole('button', { name: 'Edit' })
      .click();
    await dialog(page).getByLabel('Discount').fill('5');
    await admin.savePartner({ code: 'edited', name: 'Edited', commission_percent: 12, window: '30d' });
    await confirm(page, 'Save');
    await page.getByText('The partner is saved.').waitFor();
    const { partners } = await admin.listPartners({ limit: 100 });
    t.like(
      partners.find(({ code }) => code === 'edited'),
      { commission_percent: 12, discount_percent: 5 },
    );
  },
);

browserTest('who sets quiet hours of reminders keeps the steps that another member saved meanwhile', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/settings/reminders', 'Settings');
  await page.getByLabel('Quiet from').fill('22:00');
  await page.getByLabel('Quiet until').fill('07:00');
  const { reminders } = await admin.getReminderSettings();
  await admin.saveReminderSettings({ ...reminders, steps: ['2h', '20h'] });
  await button(page, 'Save').click();
  await page.getByText('The reminders are up to date.').waitFor();
  const { reminders: saved } = await admin.getReminderSettings();
  t.like(saved, { steps: only('2h', '20h'), quiet_hours: only('22:00', '07:00') });
});

browserTest('who is invited as a member again keeps their role', async (t) => {
  t.timeout(180_000);
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

browserTest('who corrects the name of a member keeps the role that another owner gave meanwhile', async (t) => {
  t.timeout(300_000);
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
  await page.getByText('The member is changed.').waitFor();
  const { staff } = await admin.listStaff({ limit: 100 });
  t.like(
    staff.find(({ id }) => id === member.id),
    { name: 'Kim', role: 'support' },
  );
});

browserTest(
  'an owner who confirms with a code invites a packer, who can ship and not refund, by page or by API',
  async (t) => {
    t.timeout(300_000);
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
    t.is(await page.getByRole('menuitem', { name: 'Promo codes' }).count(), 0);
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
    const app = new TOTP({ secret: Secret.fromBase32(secret ?? '') });
    await dialog(page).getByLabel('Code that the app shows').fill(app.generate());
    await confirm(page, 'Use an authenticator app');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  },
);

// Of all roles, these two are denied the most pages.
browserTest('each page is shown whole to a role, or as denied', async (t) => {
  t.timeout(300_000);
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

/** Evaluated in a page: replace its texts as a browser does that translates it. */
const translateTexts = `{
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    if (!text.data.trim() || text.parentElement.closest('font, script, style, textarea, .notranslate')) continue;
    const translation = document.createElement('font');
    translation.textContent = '»' + text.data + '«';
    text.replaceWith(translation);
  }
}`;

browserTest('a page that the browser has translated shows what changes, and its form can be filled in', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const complaints = complaintsOf(page);
  const { orders } = await clientsOf(stack).admin.listOrders({ limit: 2 });
  await page.route('**/admin/orders?*', (route) => route.fulfill({ json: { orders, cursor: 'next' } }));
  await openInConsole(page, stack, '/orders', 'Orders');
  await page.getByText('Page 1').waitFor();
  await page.evaluate(translateTexts);
  await button(page, '»Next«').click();
  await page.getByText('»Page «2').waitFor();

  await openInConsole(page, stack, '/products/create', 'New product');
  await page.evaluate(translateTexts);
  await button(page, '»Create«').click();
  await page.getByText('Required').first().waitFor();
  await page.evaluate(translateTexts);
  const required = await page.getByText('»Required«').count();
  await page.getByLabel('»Slug').fill('elm-tray');
  await until(async () => (await page.getByText('Required').count()) === required - 1, { withinMs: 20_000 });
  t.deepEqual(complaints, []);
});

browserTest('an order whose label was voided is found from the page of today', async (t) => {
  t.timeout(180_000);
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
  await page.getByRole('link', { name: /^Orders to ship without a label/ }).click();
  await heading(page, 'Orders').waitFor();
  await page.getByRole('link', { name: number }).waitFor();
  t.true(await page.getByLabel('To ship without a label').isChecked());
});

browserTest('what can only be clicked is not printed', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  const order = await buyMug(stack, atHome);
  await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
  await page.emulateMedia({ media: 'print' });
  for (const role of ['button', 'menuitem', 'banner'] as const)
    t.is(await page.getByRole(role).filter({ visible: true }).count(), 0, role);
  t.true(await page.getByRole('heading', { name: 'Items' }).isVisible());
  await page.emulateMedia({ media: 'screen' });
});

/** Evaluated in a page: what the bar shows at the moment when something is read. */
const shownWhileReading = `new Promise((resolve) => new MutationObserver(() => {
  const [spinner, refresh] = ['.app-loader > svg', '.RaLoadingIndicator-loadedLoading'].map((part) =>
    document.querySelector(part));
  if (spinner) resolve([getComputedStyle(spinner).visibility, getComputedStyle(refresh).opacity]);
}).observe(document.body, { childList: true, subtree: true }))`;

browserTest('what is read again in the background does not flash in the bar', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  t.deepEqual(await page.evaluate(shownWhileReading), ['hidden', '1']);
});

/** Evaluated in a page: what has neither a border nor an outline, of what is a surface of its own. */
const withoutEdge = `[...document.querySelectorAll('.MuiButton-contained, .MuiAlert-root, [role=dialog], .Mui-focusVisible')]
  .filter((element) => ['outline', 'border-top'].every((edge) =>
    getComputedStyle(element).getPropertyValue(edge + '-style') === 'none'))
  .map(({ textContent }) => textContent)`;

browserTest('where a browser forces its own colors, buttons, dialogs and the focus have edges', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await page.emulateMedia({ forcedColors: 'active' });
  await openInConsole(page, t.context.stack, '/promo-codes', 'Promo codes');
  t.deepEqual(await page.evaluate(withoutEdge), []);
  await button(page, 'New promo code').press('Enter');
  await confirm(page, 'Create the promo code');
  await dialog(page).getByRole('alert').waitFor();
  await dialog(page).getByRole('button', { name: 'Close' }).press('Shift');
  await page.keyboard.press('Tab');
  await page.locator('.Mui-focusVisible').waitFor();
  t.deepEqual(await page.evaluate(withoutEdge), []);
  await confirm(page, 'Close');
  await page.emulateMedia({ forcedColors: 'none' });
});

browserTest('a form can be filled in where the window is enlarged to 400 %', async (t) => {
  t.timeout(180_000);
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/promo-codes', 'Promo codes');
  await page.setViewportSize({ width: 320, height: 256 });
  await button(page, 'New promo code').click();
  const { height = 0 } = (await dialog(page).locator('form').boundingBox()) ?? {};
  t.true(height >= 150, `the inputs have ${height} pixels`);
  await confirm(page, 'Close');
  await page.setViewportSize({ width: 1280, height: 900 });
});

/** What stands for a page, or for a record, that is not there. */
const absentPages = [
  ['/none', 'Not found'],
  ['/products/none/show', 'Products'],
] as const;

/** Evaluated in a page that has axe. */
const seriousFindings = `axe.run({ resultTypes: ['violations'], selectors: false }).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`;

/** Evaluated in a page: neither the page nor a table in it is read by scrolling sideways. */
const fits = `document.documentElement.scrollWidth <= innerWidth
  && [...document.querySelectorAll('table')].every((table) => table.offsetWidth <= table.parentElement.clientWidth)`;

/** Evaluated in a page: give each value that it lists one word that is longer than a narrow page is wide. */
const lengthenWords = `{
  const short = 'button, dt, .MuiChip-root, .MuiTableCell-alignRight';
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (texts.currentNode.parentElement.closest('li, dd, td') && !texts.currentNode.parentElement.closest(short))
      texts.currentNode.data = 'Wort'.repeat(50);
}`;

browserTest('the button of a dialog that deletes can be read in dark mode', async (t) => {
  t.timeout(180_000);
  const page = await openOwnTab(t);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await openInConsole(page, t.context.stack, '/products/oak-bowl/show', 'Oak bowl');
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  await button(page, 'Delete').click();
  await dialog(page).getByRole('button', { name: 'Delete' }).waitFor();
  t.deepEqual(await page.evaluate<string[]>(seriousFindings), []);
});

browserTest('the attempts of a delivery can be scrolled with the keyboard', async (t) => {
  t.timeout(180_000);
  const { stack, receiver } = t.context;
  const page = await openOwnTab(t);
  await page.setViewportSize({ width: 1280, height: 500 });
  await openInConsole(page, stack, '/webhooks', 'Webhooks');
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  await page.getByRole('link', { name: receiver.url }).click();
  await button(page, 'Try an event').click();
  await confirm(page, 'Try an event');
  const delivered = page.getByRole('row', { name: /webhook\.test Delivered/ }).first();
  await delivered.getByRole('button', { name: 'Attempts' }).click();
  await dialog(page).getByText('What is sent now').waitFor();
  t.deepEqual(await page.evaluate<string[]>(seriousFindings), []);
});

browserTest('each button says in its name what it acts on', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const page = await openConsole(t);
  for (const [path, title] of consolePages.filter(([path]) => !/^.(audit-log|my-account)/.test(path))) {
    await openInConsole(page, stack, path, title);
    const snapshot = await page.locator('main').ariaSnapshot();
    const names = [...snapshot.matchAll(/- button "(.*)"/g)].map(([, name]) => name);
    t.deepEqual(names, [...new Set(names)], path);
  }
  await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  await button(page, 'Change BOWL-L').click();
  await dialog(page).getByRole('heading', { name: 'Change the stock of BOWL-L' }).waitFor();
  await confirm(page, 'Close');
  await button(page, 'Remove image 2').waitFor();
  await button(page, 'Add a variant').waitFor();
});

browserTest('the title of a dialog shows all of a long URL in a narrow window', async (t) => {
  t.timeout(180_000);
  const { stack } = t.context;
  const url = `https://long.example/${'hooks'.repeat(20)}`;
  const { webhook_endpoint: endpoint } = await clientsOf(stack).admin.createWebhookEndpoint({
    url,
    events: ['order.paid'],
  });
  const page = await openOwnTab(t);
  await page.setViewportSize({ width: 360, height: 800 });
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, 'long.example');
  await button(page, 'Delete').click();
  const title = dialog(page).getByRole('heading', { name: `Delete ${url}` });
  t.true(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth));
});

browserTest('every page is free of serious accessibility findings and fits a narrow and a wide window', async (t) => {
  t.timeout(300_000);
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const complaints = complaintsOf(page);
  await openInConsole(page, stack, '/', 'Today');
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  const widths = [1280, 640, 360];
  for (const [path, title] of [...consolePages, ...absentPages, ...(await recordPages(stack))]) {
    await openInConsole(page, stack, path, title);
    const findings = await page.evaluate<string[]>(seriousFindings);
    t.deepEqual(findings, [], path);
    // To and fro, since a page is drawn again for each width.
    for (const width of widths.reverse()) {
      await page.setViewportSize({ width, height: 900 });
      // The menu leaves when its own rule has seen the width.
      await until(() => page.evaluate<boolean>(fits));
      await page.evaluate(lengthenWords);
      t.true(await page.evaluate<boolean>(fits), `${path} of ${width} pixels with long words`);
    }
  }
  t.deepEqual(complaints, []);
});
