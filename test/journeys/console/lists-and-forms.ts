import type { Dialog, Route } from 'playwright-core';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { changeBodies } from '#test/support/browser.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { buyMug, heading, openInConsole } from '#test/support/walk-console.ts';
import {
  atHome,
  browserTest,
  button,
  changeStoreOfSession,
  confirm,
  countNumbers,
  dialog,
  holdRequests,
  openConsole,
  openOwnTab,
} from './fixture.ts';

browserTest('a long message from the storefront leaves the other rows of its list in sight', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  const [email, message] = ['spam@shopper.example', 'Buy followers! '.repeat(333)];
  const { storefront } = clientsOf(stack);
  await storefront.createWholesaleInquiry({ email, message });
  await storefront.applyAsPartner({ email, message });
  await storefront.submitQuiz({ email, answers: { message } });
  for (const [path, title] of [
    ['/wholesale', 'Wholesale inquiries'],
    ['/partner-applications', 'Partner applications'],
    ['/leads', 'Leads'],
  ] as const) {
    await openInConsole(page, stack, path, title);
    const text = page.getByText('Buy followers!');
    await text.first().waitFor();
    const { height = Infinity } = (await page.getByRole('row').filter({ has: text }).boundingBox()) ?? {};
    t.true(height < 200, `${path}: ${height} pixels`);
  }
});

browserTest('the back button warns before the input of an open form is lost', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/', 'Today');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('link', { name: 'Promo codes', exact: true }).click();
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
  await until(() => warnings === 1);
  await confirm(page, 'Close');
  await until(() => warnings === 2);
  t.is(await code.inputValue(), 'HALF-WRITTEN');
  page.off('dialog', dismiss);
  page.once('dialog', (warning) => warning.accept());
  await code.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
});

browserTest('a form that is incomplete or rejected says so beside its button, and nothing covers it', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/promo-codes', 'Promo codes');
  await button(page, 'New promo code').click();
  await dialog(page).getByLabel('Percent').fill('15');
  await confirm(page, 'Create the promo code');
  await dialog(page).getByRole('alert').getByText('Correct the marked fields.').waitFor();
  t.is(await page.evaluate('document.activeElement.name'), 'code');
  t.is(await page.locator('.MuiSnackbar-root').count(), 0);

  await dialog(page).getByLabel(/^Code/).fill('BACKWARDS');
  await dialog(page).getByLabel('From', { exact: true }).fill('2026-06-02T10:00');
  await dialog(page).getByLabel('Until').fill('2026-06-01T10:00');
  await confirm(page, 'Create the promo code');
  await dialog(page).getByRole('alert').getByText('Until must be later than From.').waitFor();
  for (const part of [dialog(page).getByRole('heading'), dialog(page).locator('[type=submit]')]) {
    const { y = -1, height = 0 } = (await part.boundingBox()) ?? {};
    t.true(y >= 0 && y + height <= 900, 'the title and the buttons are seen');
  }
  t.is(await page.locator('.MuiSnackbar-root').count(), 0);

  await dialog(page).getByLabel('Until').fill('2026-06-03T10:00');
  const products = dialog(page).getByLabel('Only for these products');
  await products.fill('no-such-bowl,');
  await confirm(page, 'Try again');
  await dialog(page).locator('.ra-input-products [aria-invalid=true]').waitFor();
  t.regex(await dialog(page).locator('.ra-input-products').innerText(), /Only for these products, 1 .*no-such-bowl/);
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
const pathsOfInputs = `[...document.querySelectorAll('form:has([type=submit]) .ra-input')].map((input) => '/' + (
  (!input.querySelector('.ra-input') && input.querySelector('[name]')?.name)
  || [...input.classList].find((name) => name.startsWith('ra-input-')).replace('ra-input-', '')).replaceAll('.', '/'))`;

/** Evaluated in a page: what stands at the form's inputs. */
const labelsOfInputs = `[...document.querySelectorAll('form:has([type=submit]) :is(label, legend, .MuiFormLabel-root)')]
  .map(({ textContent }) => textContent.replace(/\\s*\\*$/, ''))`;

browserTest('what is wrong with a field is said with the label that its form has', async (t) => {
  const { stack } = t.context;
  await clientsOf(stack).admin.createPromoCode({ code: 'LABELS', type: 'percent', value: 5 });
  const page = await openConsole(t);
  for (const [path, title, opener] of filledForms) {
    await openInConsole(page, stack, path, title);
    if (opener) await page.getByRole('button', { name: opener }).first().click();
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

browserTest('a promo code is found by how it begins, and a gift card by how it ends', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  for (const code of ['FINDME26', 'ANOTHER26']) await admin.createPromoCode({ code, type: 'percent', value: 5 });
  const cards = [
    await admin.createGiftCard({ balance_cents: 1111 }),
    await admin.createGiftCard({ balance_cents: 2222 }),
  ];
  const [wanted = '', other = ''] = cards.map(({ gift_card: { last4 } }) => `…${last4}`);
  const page = await openOwnTab(t);
  const cell = (name: string) => page.getByRole('cell', { name, exact: true });
  for (const [path, title, placeholder, typed, found, others] of [
    ['/promo-codes', 'Promo codes', 'Code', 'find', 'FINDME26', 'ANOTHER26'],
    ['/gift-cards', 'Gift cards', 'Last 4 characters', cards[0]?.code ?? '', wanted, other],
  ] as const) {
    await openInConsole(page, stack, path, title);
    await cell(others).waitFor();
    await page.getByPlaceholder(placeholder).fill(typed);
    await cell(others).waitFor({ state: 'detached' });
    t.is(await cell(found).count(), 1);
  }
});

browserTest('inputs of times take no year of five digits, which would be no time', async (t) => {
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
  await page.getByRole('cell', { name: 'YEAR26', exact: true }).waitFor();
  const [promo] = (await clientsOf(stack).admin.listPromoCodes({ limit: 1 })).promo_codes;
  t.regex(promo?.ends_at ?? '', /^(2026-12-31|2027-01-01)T/);
});

browserTest('a list stays as it is until the email that filters it is complete', async (t) => {
  const { stack } = t.context;
  const { email } = atHome;
  const page = await openOwnTab(t);
  const queries: (string | null)[] = [];
  await page.route('**/admin/suppressions?*', (route) => {
    const requested = new URL(route.request().url()).searchParams.get('email');
    queries.push(requested);
    const suppressions = requested === email ? [{ email, reason: 'bounced', created_at: new Date() }] : [];
    return route.fulfill({ json: { suppressions, cursor: null } });
  });
  await openInConsole(page, stack, '/suppressions', 'Suppressed emails');
  const input = page.getByLabel('Email');
  await input.fill(email.slice(0, 3));
  await page.getByText('Must be a valid email').waitFor();
  await input.fill(email);
  await until(() => queries.includes(email));
  await page.getByRole('cell', { name: email, exact: true }).waitFor();
  t.deepEqual([...new Set(queries)], [null, email]);
  t.is(await page.getByRole('alert').count(), 0);
});

browserTest('what may be typed into the search field of a list is said there as a whole', async (t) => {
  const page = await openConsole(t);
  for (const [path, title] of [
    ['/orders', 'Orders'],
    ['/customers', 'Customers'],
    ['/products', 'Products'],
  ] as const) {
    await openInConsole(page, t.context.stack, path, title);
    const field = page.locator('input[name="q"]');
    const text = (await field.getAttribute('placeholder')) ?? '';
    await field.fill(text);
    const beyond = await page.evaluate<number>(`{
      const field = document.querySelector('input[name="q"]');
      field.scrollWidth - field.clientWidth;
    }`);
    t.is(beyond, 0, `${path}: "${text}" has ${beyond} pixels too many`);
    await field.fill('');
  }
});

browserTest('a customer and their order are found by the beginnings of their names', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const amazing = { ...atHome, email: 'hopper@shopper.example', name: 'Amazing Höpper' };
  const order = await buyMug(stack, amazing);
  await until(async () => (await admin.getOrder(order.id)).order.status === 'paid');
  const page = await openConsole(t);
  await openInConsole(page, stack, '/customers', 'Customers');
  await page.getByPlaceholder('Name or email').fill('hop ama');
  await until(async () => (await page.getByRole('row').count()) === 2);
  t.is(await page.getByRole('cell', { name: amazing.email }).count(), 1);
  await openInConsole(page, stack, '/orders', 'Orders');
  await page.getByPlaceholder('Number, name, email or tracking').fill('Amaz hoppe');
  await until(async () => (await page.getByRole('row').count()) === 2);
  t.is(await page.getByRole('link', { name: order.number }).count(), 1);
});

browserTest('what does not exist is not said to be there at another try', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/products/no-such-bowl/show', 'Products');
  const said = page.getByRole('alert').filter({ hasText: 'There is no such product.' });
  t.is(await said.innerText(), 'There is no such product.');
});

browserTest('a record that was deleted since it was read is said to be gone', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await admin.createProduct({ slug: 'gone-bowl', name: 'Gone bowl', variants: [{ sku: 'GONE-1', price_cents: 100 }] });
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/gone-bowl/show', 'Gone bowl');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await heading(page, 'Orders').waitFor();
  await admin.deleteProduct('gone-bowl');
  await page.goBack();
  await page.getByRole('alert').filter({ hasText: 'There is no such product.' }).waitFor();
  t.is(await page.getByLabel('Name *').first().inputValue(), 'Gone bowl');
});

browserTest('a gift card that was disabled is said to be, without the button that did it', async (t) => {
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
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/content', 'Content');
  await page.getByLabel('Type').fill('No type');
  await page.getByText('Type must be written like article.').waitFor();
  t.is(await page.getByRole('alert').count(), 1);
});

browserTest('a list that cannot be read again stays, with the form that is open in it', async (t) => {
  const { stack } = t.context;
  await clientsOf(stack).admin.createPromoCode({ code: 'STAYS', type: 'percent', value: 5 });
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  await page.getByRole('row', { name: /STAYS/ }).getByRole('button', { name: 'Edit' }).click();
  const limit = dialog(page).getByLabel('Uses in total');
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

browserTest('a list that is read again and is as before is not drawn again', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const isWritten = async (id: string) => (await admin.getExport(id)).export.finished_at;
  const { export: first } = await admin.createExport({ kind: 'stock', format: 'csv' });
  await until(() => isWritten(first.id), { what: 'the export' });
  const page = await openOwnTab(t);
  const readAgain = () => page.waitForResponse('**/admin/exports?*');
  await openInConsole(page, stack, '/exports', 'Exports');
  await page.evaluate(countNumbers);
  await readAgain();
  await readAgain();
  t.is(await page.evaluate('window.numbers'), 0);
  const { export: second } = await admin.createExport({ kind: 'stock', format: 'csv' });
  await until(() => isWritten(second.id), { what: 'the export' });
  await until(() => page.evaluate<boolean>('window.numbers > 0'));
});

/** Evaluated in a page: what has the focus. */
const focused = '`${document.activeElement.name || document.activeElement.textContent}`';

browserTest('a form that was sent leaves the focus where it was, and takes no input that would be lost', async (t) => {
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
  await page.getByText('Entry saved.').waitFor();
  await until(async () => (await page.evaluate(focused)) === 'author');
  t.is(await author.inputValue(), 'By keyboard');

  await page.route('**/admin/content/**', (route) => route.fulfill({ status: 500, json: { error: 'internal_error' } }));
  await author.fill('By button');
  await button(page, 'Save').press('Enter');
  await until(async () => (await page.evaluate(focused)) === 'Try again');
  t.is(await author.inputValue(), 'By button');
});

browserTest('a button that is gone once it was used leaves the focus beside it', async (t) => {
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
  await until(() => page.evaluate<boolean>('document.activeElement.closest("tbody") !== null'));
  t.pass();
});

browserTest('amounts of a currency that has no fraction are written and shown without one', async (t) => {
  const { stack } = t.context;
  await clientsOf(stack).admin.createPromoCode({ code: 'WHOLE', type: 'fixed', value_cents: 150_000 });
  const page = await openOwnTab(t);
  await changeStoreOfSession(page, { currency: 'ISK' });
  await openInConsole(page, stack, '/promo-codes', 'Promo codes');
  const cells = await page.getByRole('row', { name: /WHOLE/ }).getByRole('cell').allTextContents();
  t.is(cells[1]?.replace(/\s/, ' '), 'ISK 1,500');
  await button(page, 'New promo code').click();
  await dialog(page).getByLabel(/^Code/).fill('KRONUR');
  await dialog(page).getByLabel('Percent').fill('15');
  const subtotal = dialog(page).getByLabel('Minimum subtotal (ISK)');
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

browserTest('an amount of the store is entered in the currency that the store has by now', async (t) => {
  const page = await openOwnTab(t);
  // As it was when the page was opened.
  await changeStoreOfSession(page, { currency: 'ISK' });
  await openInConsole(page, t.context.stack, '/settings', 'Settings');
  t.regex((await page.getByText('What a member may refund per day').first().textContent()) ?? '', /\(USD\)/);
});

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

browserTest('a long word in the name of an item breaks in the form that refunds it', async (t) => {
  const { stack } = t.context;
  const order = await buyMug(stack, atHome);
  await until(async () => (await clientsOf(stack).admin.getOrder(order.id)).order.status === 'paid');
  const page = await openOwnTab(t);
  type Found = { order: { items: object[] } };
  await changeBodies<Found>(page, `**/admin/orders/${order.id}`, ({ order }) => ({
    order: { ...order, items: order.items.map((item) => ({ ...item, name: 'W'.repeat(100) })) },
  }));
  await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
  await button(page, 'Refund').click();
  await dialog(page).getByText('W'.repeat(100)).waitFor();
  const content = dialog(page).locator('.MuiDialogContent-root');
  t.true(await content.evaluate((shown) => shown.scrollWidth <= shown.clientWidth));
});

browserTest('quantities stand before names that are written from right to left', async (t) => {
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

browserTest(
  'what may be negative is entered with a keyboard that has a minus, which that of numbers lacks',
  async (t) => {
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

browserTest('the form of an action does not become that of another one when its record changes', async (t) => {
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

browserTest('a search takes as much of what is pasted as can be searched for', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  for (const [path, title] of [
    ['/orders', 'Orders'],
    ['/products', 'Products'],
    ['/customers', 'Customers'],
  ] as const) {
    await openInConsole(page, stack, path, title);
    await page.locator('input[name=q]').focus();
    await page.keyboard.insertText('word '.repeat(2000));
    await page.getByText('Nothing matches the filters.').waitFor();
    t.is((await page.locator('input[name=q]').inputValue()).length, 200);
  }
});
