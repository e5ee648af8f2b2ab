import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page, Request } from 'playwright-core';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { changeBodies, complaintsOf } from '#test/support/browser.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { walkByTab } from '#test/support/walk-by-tab.ts';
import { buyMug, consolePages, heading, openInConsole, recordPages } from '#test/support/walk-console.ts';
import {
  atHome,
  browserTest,
  button,
  confirm,
  dialog,
  holdRequests,
  openConsole,
  openOwnTab,
  openRejectingEndpoint,
} from './fixture.ts';

/** Pages that are no lists. */
const unlisted: readonly string[] = ['/analytics', '/settings', '/my-account'];

browserTest('every list says where it is empty what it is for', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const lists = consolePages.filter(([path]) => /^\/[a-z-]+$/.test(path) && !unlisted.includes(path));
  await changeBodies(page, /\/api\/v1\/admin\/(?!session)/, (body) => {
    const fields = Object.entries({ ...body, cursor: null });
    return Object.fromEntries(fields.map(([name, value]) => [name, Array.isArray(value) ? [] : value]));
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

browserTest('what a list or a record has is read at the same time as the script of its page, and once', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const [order, product] = await recordPages(stack);
  const lists = consolePages.filter(([path]) => path === '/orders' || path === '/promo-codes');
  for (const [path, title] of [...lists, ...[order, product].filter((page) => page !== undefined)]) {
    await page.goto('about:blank');
    await openInConsole(page, stack, '/my-account', 'My account');
    const scripts = await holdRequests(page, '**/admin/assets/*.js');
    const data = await holdRequests(page, '**/api/v1/admin/**');
    const reads: Request[] = [];
    const onRead = (request: Request) => void (request.url().includes('/api/v1/admin/') && reads.push(request));
    page.on('request', onRead);
    await page.goto(`${stack.url}/admin#${path}`);
    await until(() => data.held.length > 0 && scripts.held.length > 0, { what: `${path}, both` });
    await data.release();
    await reads[0]?.response();
    await scripts.release();
    await heading(page, title).waitFor();
    page.off('request', onRead);
    if (!path.endsWith('/show')) t.is(reads.length, 1, path);
  }
});

browserTest('the script of the first page is read while it is found out who is signed in', async (t) => {
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
      page.waitForRequest((request) => request.url().includes(`/assets/${script}-`)),
      page.goto(`${stack.url}/admin${fragment}`),
    ]);
    await until(() => session.held.length > 0);
    await session.release();
    await heading(page, title).waitFor();
  }
  t.pass();
});

/** Evaluated in a page: note how many links its menu has, each time that it is changed. */
const noteMenu = `{
  window.menus = [];
  const read = () => document.querySelectorAll('nav [role=link]').length;
  new MutationObserver(() => read() !== window.menus.at(-1) && window.menus.push(read()))
    .observe(document, { childList: true, subtree: true });
}`;

browserTest('the menu is shown as a whole', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  await page.addInitScript(noteMenu);
  await openInConsole(page, stack, '/orders', 'Orders');
  const count = await page.getByRole('navigation', { name: 'Menu' }).getByRole('link').count();
  t.deepEqual(await page.evaluate('window.menus'), [0, count]);
});

/** Evaluated in a page: add up how far what is shown is moved by what arrives after it. */
const addUpShifts = `{
  window.shifts = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { window.shifts += value; }))
    .observe({ type: 'layout-shift' });
}`;

/** Evaluated in a page: resolves when it has painted what it has. */
const painted = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))';

/**
 * Opens a page whose parts arrive one by one, the last one that was requested first: that of a record from another page,
 * and others by loading the console, since they have parts in common, which would be there already.
 * @returns how far it moved
 */
async function shiftsOf(page: Page, stack: Stack, path: string, title: string): Promise<number> {
  if (path.endsWith('/show')) await openInConsole(page, stack, '/none', 'Not found');
  else await page.goto('about:blank');
  await page.evaluate('window.shifts = 0');
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

browserTest('a page that something before the service forbids says so, and is read again', async (t) => {
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
  await until(async () => (await page.getByText('Required').count()) === required - 1);
  t.deepEqual(complaints, []);
});

browserTest('what can only be clicked is not printed', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  const order = await buyMug(stack, atHome);
  await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
  await page.emulateMedia({ media: 'print' });
  for (const role of ['button', 'navigation', 'banner'] as const)
    t.is(await page.getByRole(role).filter({ visible: true }).count(), 0, role);
  t.true(await page.getByRole('heading', { name: 'Items' }).isVisible());
  await page.emulateMedia({ media: 'screen' });
});

browserTest(
  'packing slips have what is sent and where, without prices, a sheet each, and are read in dark mode',
  async (t) => {
    const { stack } = t.context;
    const page = await openOwnTab(t);
    await page.emulateMedia({ colorScheme: 'dark' });
    const order = await buyMug(stack, atHome);
    const second = await buyMug(stack, atHome);
    const fulfillmentOf = async (id: string) => (await clientsOf(stack).admin.getOrder(id)).order.fulfillment_status;
    for (const { id } of [order, second]) await until(async () => (await fulfillmentOf(id)) === 'label_purchased');
    await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
    await page.getByRole('link', { name: 'Packing slip' }).click();
    const slip = page.getByRole('article', { name: order.number });
    t.is(await slip.locator('address').innerText(), 'Grace\n1 Market St\nSan Francisco CA 94105\nUnited States');
    t.deepEqual(await slip.getByRole('cell').allTextContents(), ['1', 'Stoneware mug, Sand', 'MUG-SAND']);
    t.notRegex(await slip.innerText(), /\$/);
    const heightOf = async (row: Locator) => (await row.boundingBox())?.height ?? 0;
    const [names, item] = [slip.getByRole('row').first(), slip.getByRole('row').last()];
    t.true((await heightOf(names)) < 2 * (await heightOf(item)));

    await openInConsole(page, stack, '/orders', 'Orders');
    await page.getByRole('link', { name: second.number }).waitFor();
    const slips = page.getByRole('link', { name: 'Packing slips' });
    const filtered = await holdRequests(page, '**/admin/orders?*fulfillment_status*');
    await page.getByLabel('Fulfillment').click();
    await page.getByRole('option', { name: 'Label purchased' }).click();
    await until(async () => filtered.held.length > 0);
    t.false(await slips.isVisible(), 'the list is still that of all orders');
    await filtered.release();
    await slips.click();
    await page.getByRole('article', { name: order.number }).waitFor();
    const print = page.getByRole('button', { name: `Print the label of ${second.number}` });
    await print.waitFor();
    await page.emulateMedia({ media: 'print' });
    t.false(await print.isVisible());
    await page.emulateMedia({ media: 'screen' });

    const unknown = 'ord_00000000000000000000000000';
    const last = await holdRequests(page, `**/orders/${second.id}`);
    await openInConsole(page, stack, `/packing-slips/${order.id},${unknown},${second.id}`, 'Packing slips');
    await page.reload();
    await page.getByRole('article', { name: order.number }).waitFor();
    await page.getByRole('alert').filter({ hasText: unknown }).waitFor();
    t.true(await button(page, 'Print').isDisabled());
    await last.release();
    await page.getByRole('article', { name: second.number }).waitFor();
    await until(() => button(page, 'Print').isEnabled());
    await page.emulateMedia({ media: 'print' });
    t.false(await heading(page, 'Packing slips').isVisible());
    t.is(await page.evaluate<string>("getComputedStyle(document.querySelector('article td')).color"), 'rgb(0, 0, 0)');
    const pdf = await page.pdf();
    t.is(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length, 2);
  },
);

/** Evaluated in a page: what the bar shows at the moment when something is read. */
const shownWhileReading = `new Promise((resolve) => new MutationObserver(() => {
  const [spinner, refresh] = ['.app-loader > svg', '.RaLoadingIndicator-loadedLoading'].map((part) =>
    document.querySelector(part));
  if (spinner) resolve([getComputedStyle(spinner).visibility, getComputedStyle(refresh).opacity]);
}).observe(document.body, { childList: true, subtree: true }))`;

browserTest('what is read again in the background does not flash in the bar', async (t) => {
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
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/promo-codes', 'Promo codes');
  await page.setViewportSize({ width: 320, height: 256 });
  await button(page, 'New promo code').click();
  const { height = 0 } = (await dialog(page).locator('form').boundingBox()) ?? {};
  t.true(height >= 150, `the inputs have ${height} pixels`);
  await confirm(page, 'Close');
  await page.setViewportSize({ width: 1280, height: 900 });
});

/** Evaluated in a page that has axe, on all of it but these parts. */
const seriousFindingsBut = (parts: readonly string[]) => `axe.run({ exclude: ${JSON.stringify(parts)} }, {
  resultTypes: ['violations'],
  selectors: false,
}).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`;
const seriousFindings = seriousFindingsBut([]);

browserTest('the button of a dialog that deletes can be read in dark mode', async (t) => {
  const page = await openOwnTab(t);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await openInConsole(page, t.context.stack, '/products/oak-bowl/show', 'Oak bowl');
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  await button(page, 'Delete').click();
  await dialog(page).getByRole('button', { name: 'Delete' }).waitFor();
  t.deepEqual(await page.evaluate<string[]>(seriousFindings), []);
});

browserTest('the attempts of a delivery can be scrolled with the keyboard', async (t) => {
  const page = await openOwnTab(t);
  await page.setViewportSize({ width: 1280, height: 500 });
  await openRejectingEndpoint(t, page);
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  const failed = page.getByRole('row', { name: /webhook\.test Failed/ });
  await failed.getByRole('button', { name: 'Attempts' }).click();
  await dialog(page).getByText('What is sent now').waitFor();
  t.deepEqual(await page.evaluate<string[]>(seriousFindings), []);
});

browserTest('each button says in its name what it acts on', async (t) => {
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

/** Evaluated in a page: resolves when it has painted what another window stored of the menu. */
const menuStored = `new Promise((resolve) => addEventListener('storage', ({ key, newValue }) =>
  key.endsWith('sidebar.open') && newValue === 'false' && resolve())).then(() => ${painted})`;

browserTest('a narrow window leaves the menu of another one open, which moves for who wants motion only', async (t) => {
  const { stack } = t.context;
  const wide = await openConsole(t);
  await openInConsole(wide, stack, '/my-account', 'My account');
  const closeMenu = button(wide, 'Close menu');
  if (!(await closeMenu.isVisible())) await button(wide, 'Open menu').click();
  const stored = wide.evaluate(menuStored);
  const narrow = await openOwnTab(t);
  await openInConsole(narrow, stack, '/my-account', 'My account');
  for (const width of [360, 1280, 360]) {
    await narrow.setViewportSize({ width, height: 800 });
    await narrow.getByRole('navigation', { name: 'Menu' }).waitFor({ state: width === 360 ? 'hidden' : 'visible' });
  }
  await stored;
  t.true(await closeMenu.isVisible());

  // What fades, as a tooltip does when it has time to, does not move.
  await wide.evaluate(`document.addEventListener('transitionrun', ({ propertyName }) => {
    if (propertyName !== 'opacity') window.moved = propertyName;
  })`);
  await closeMenu.click();
  await button(wide, 'Open menu').click();
  await closeMenu.waitFor();
  t.is(await wide.evaluate(`${painted}.then(() => window.moved ?? null)`), null);
});

/** What stands for a page, or for a record, that is not there. */
const absentPages = [
  ['/none', 'Not found'],
  ['/products/none/show', 'Products'],
] as const;

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

/** Evaluated in a page: inputs whose asterisk readers of the screen do not see, and which do not say that they are required. */
const withoutRequirement = `[...document.querySelectorAll('main :is(input, textarea, [role=combobox]):not([type=checkbox], [type=radio], .MuiAutocomplete-input)')]
  .filter((input) => {
    const label = input.labels?.[0] ?? document.getElementById(input.getAttribute('aria-labelledby')?.split(' ')[0]);
    return label?.querySelector('[aria-hidden]') && input.ariaRequired !== 'true';
  })
  .map(({ id }) => id)`;

/** WCAG 1.4.12, evaluated in a page: what is cut off where someone has set their browser to space text more widely. */
const cutOff = `(() => {
  const spacing = new CSSStyleSheet();
  spacing.replaceSync('* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }');
  document.adoptedStyleSheets = [spacing];
  const texts = [...document.querySelectorAll('nav *, main *')]
    .filter((element) => [...element.childNodes].some((node) => node instanceof Text))
    .filter((element) => getComputedStyle(element).overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1)
    .filter((element) => element.clientWidth > 1)
    .map(({ textContent }) => textContent);
  document.adoptedStyleSheets = [];
  return texts;
})()`;

/** Their forms are those of new ones. */
const walkedBefore = ['/products/oak-bowl/show', '/content/article%2Fcare-for-wood/show'];

browserTest('every page is free of serious accessibility findings and fits a narrow and a wide window', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const complaints = complaintsOf(page);
  await openInConsole(page, stack, '/', 'Today');
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  const widths = [1280, 640, 360];
  for (const [path, title] of [...consolePages, ...absentPages, ...(await recordPages(stack))]) {
    await openInConsole(page, stack, path, title);
    // The menu is the same on every page.
    const findings = await page.evaluate<string[]>(
      path === '/' ? seriousFindings : seriousFindingsBut(['nav.RaMenu-open']),
    );
    t.deepEqual(findings, [], path);
    t.deepEqual(await page.evaluate<string[]>(withoutRequirement), [], path);
    t.deepEqual(await page.evaluate<string[]>(cutOff), [], path);
    if (!walkedBefore.includes(path)) t.deepEqual(await walkByTab(page), [], path);
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

/** Evaluated in a page: what is beyond the edge of the window, also where its card cuts it off. */
const beyondEdge = `[...document.querySelectorAll('main :is(dd, td, p, h2, button)')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth)
  .map(({ textContent }) => textContent)`;

browserTest('every page fits a window of 320 pixels with text of twice the size', async (t) => {
  const { stack } = t.context;
  await buyMug(stack, atHome);
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/', 'Today');
  await page.setViewportSize({ width: 320, height: 900 });
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  await until(() => page.evaluate<boolean>(fits));
  for (const [path, title] of [...consolePages, ...(await recordPages(stack))]) {
    await openInConsole(page, stack, path, title);
    t.true(await page.evaluate<boolean>(fits), path);
    t.deepEqual(await page.evaluate<string[]>(beyondEdge), [], path);
  }
});
