import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { Browser, Page, Route } from 'playwright-core';

import { showPreference } from '#src/api/cart/unsubscribe-page.ts';
import { type Receiver, startReceiver } from '#src/dev/demo/receiver.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { formatMoney } from '#src/lib/format-money.ts';
import { changeBodies, complaintsOf, hasBrowser, inBrowser, launchBrowser } from '#test/support/browser.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { startReceiver as startSystem } from '#test/support/receiver.ts';
import { until } from '#test/support/until.ts';
import {
  buyOnStorefront,
  payOnHostedPage,
  receiveParcel,
  requestReturnInPage,
  signInOnStorefront,
  type Walk,
} from '#test/support/walk-storefront.ts';

interface StoreContext {
  receiver: Receiver;
  stack: Stack;
  browser: Browser;
}
const test = anyTest as TestFn<StoreContext>;
const browserTest = inBrowser(test.serial);
/** Lets the shop take the store for another one in these fields. */
const changeStorefront = (page: Page, change: object) =>
  changeBodies<{ storefront: object }>(page, '**/api/v1/storefront', ({ storefront }) => ({
    storefront: { ...storefront, ...change },
  }));

/** A new page of a product. */
async function openProduct(t: ExecutionContext<StoreContext>, slug: string): Promise<Page> {
  const { stack, browser } = t.context;
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.goto(`${stack.storefrontUrl}/products/${slug}`);
  return page;
}

/** Put the product that a page shows into the cart, and open that. */
async function addToCart(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.getByRole('link', { name: 'Go to the cart' }).click();
}

const ops = { username: 'ops', password: 'a long password' };

test.before(async (t) => {
  if (!hasBrowser) return;
  const receiver = await startReceiver();
  const environment = {
    OPS_USER: ops.username,
    OPS_PASSWORD: ops.password,
    LOG_LEVEL: 'info',
    WEBHOOK_RETRY_SCHEDULE: '0s,1s',
  };
  const [stack, browser] = await Promise.all([startStack(receiver, { workers: 'all', environment }), launchBrowser()]);
  t.context = { receiver, stack, browser };
});
test.after.always(async (t) => {
  await t.context.browser?.close();
  await t.context.stack?.stop();
  t.context.receiver?.close();
});

browserTest(
  'a shopper searches, buys with a promo code, signs in without a password, tracks and returns on the storefront',
  async (t) => {
    const { stack, browser } = t.context;
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const fits = async (name: string) => {
      t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits a narrow window`);
    };
    const otherTab = await context.newPage();
    const capture = async (name: string) => {
      await fits(name);
      if (name !== 'storefront-cart') return;
      await otherTab.goto(page.url());
      await otherTab.getByRole('button', { name: 'Check out' }).waitFor();
    };
    const walk: Walk = { page, stack, email: 'ada@shopper.example', capture };

    const order = await buyOnStorefront(walk);
    await otherTab.getByRole('button', { name: 'Check out' }).click();
    await otherTab.getByRole('heading', { name: 'Your cart is empty' }).waitFor();
    await otherTab.close();
    const { admin } = clientsOf(stack);
    const { orders } = await admin.listOrders({ email: walk.email });
    t.like(orders[0], {
      order_number: order.orderNumber,
      status: 'paid',
      discount_cents: 980,
      fulfillment_status: 'label_purchased',
    });
    const receipt = await mailboxControl(stack.mailboxUrl).waitForMessage(
      { to: walk.email, subject: 'Your order' },
      60_000,
    );
    t.regex(
      receipt.text ?? '',
      /Oak bowl, Medium \(Quantity 2\) +\$98\.00\n\nSubtotal +\$98\.00\nDiscount +−\$9\.80\nTotal +\$88\.20\n/,
    );
    await receiveParcel(walk);
    await signInOnStorefront(walk, order);
    await page.getByRole('button', { name: 'Request a return' }).scrollIntoViewIfNeeded();
    await page.evaluate('scrollBy(0, 100)');
    await requestReturnInPage(walk);
    t.true((await page.evaluate<number>('scrollY')) > 0, 'the account stays where it was');
    t.is((await admin.listReturns()).returns.length, 1);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    t.deepEqual(complaints, []);
    await context.close();
  },
);

browserTest('the link of a reminder restores a cart with its subscription', async (t) => {
  const { stack, browser } = t.context;
  const email = 'grace@shopper.example';
  const page = await openProduct(t, 'coffee-of-the-month');
  await page.getByText('Every three months').click();
  await addToCart(page);
  await page.getByText('Save this cart for later').click();
  const save = page.locator('details.save');
  await save.getByLabel('Email').fill(email);
  await save.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. We have emailed you a link to it.').waitFor();

  const reminder = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: email }, 60_000);
  t.regex(reminder.text ?? '', /Coffee of the month, Whole bean \(every three months\) +\$17\.00/);
  const [link = ''] = /https?:\/\/\S+\/cart\/restore\S*token=[\w.-]+/.exec(reminder.text ?? '') ?? [];
  const elsewhere = await browser.newPage();
  await elsewhere.goto(link);
  await elsewhere.getByText('Whole bean · every three months').waitFor();
  await elsewhere.getByText('$17.00').first().waitFor();
  await elsewhere.context().close();
});

browserTest('the button to unsubscribe has an edge where a browser forces its own colors', async (t) => {
  const page = await t.context.browser.newPage({ forcedColors: 'active' });
  t.teardown(() => page.close());
  await page.setContent(String(showPreference({ storeName: 'Cedar', status: 'subscribed', token: 'token' }).body));
  const edge = `getComputedStyle(document.querySelector('button')).borderTopStyle`;
  t.is(await page.evaluate(edge), 'solid');
});

browserTest('the back button leads to the place on the page that was left, and the footer does not jump', async (t) => {
  const { stack, browser } = t.context;
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  t.teardown(() => context.close());
  const page = await context.newPage();
  let isFooterSeen: unknown;
  const seeFooter = async (route: Route) => {
    // Without products there is nothing but the header and the footer.
    isFooterSeen = await page.evaluate('document.getElementById("foot").getBoundingClientRect().top < innerHeight');
    await route.continue();
  };
  await page.route('**/api/v1/products*', seeFooter, { times: 1 });
  await page.goto(stack.storefrontUrl);
  const product = page.getByRole('main').getByRole('link', { name: /Linen/ }).first();
  await product.scrollIntoViewIfNeeded();
  t.is(isFooterSeen, false);
  const left = await page.evaluate<number>('scrollY');
  t.true(left > 300);
  await product.click();
  await page.getByRole('button', { name: 'Add to cart' }).waitFor();
  t.is(await page.evaluate('scrollY'), 0);
  await page.goBack();
  await product.waitFor();
  t.is(await page.evaluate('scrollY'), left);
});

browserTest('a product that has only a name and a price is listed and shown', async (t) => {
  const { stack, browser } = t.context;
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const variants = [{ sku: 'CUP', price_cents: 1250 }];
  await clientsOf(stack).admin.createProduct({ slug: 'cup', name: 'Cup', status: 'published', variants });
  const link = page.getByRole('link', { name: /Cup/ });
  // The list is cached for a second.
  await until(async () => {
    await page.goto(stack.storefrontUrl, { waitUntil: 'networkidle' });
    return link.isVisible();
  });
  await link.click();
  await page.getByRole('heading', { name: 'Cup', exact: true }).waitFor();
  t.true(await page.getByText('$12.50').first().isVisible());
});

browserTest('the storefront shows and links whatever text a store has, and no link that would run', async (t) => {
  const { stack, browser } = t.context;
  const context = await browser.newContext({ viewport: { width: 320, height: 844 } });
  t.teardown(() => context.close());
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  const fits = async () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
  const { admin } = clientsOf(stack);
  const category = 'Tea/Coffee? 100% #1 <b> & "ü"';
  const name = 'W'.repeat(200);
  const words = { category, description: name, status: 'published' } as const;
  await admin.createProduct({ slug: 'any-text', name, ...words, variants: [{ sku: 'ANY', price_cents: 1250 }] });
  const links = { web: 'https://web.example', runs: 'javascript:alert(1)', holds: 'data:text/html,x', lacks: null };
  await changeStorefront(page, { links, name: 'متجر الأرز (بيروت)', currency: 'KWD', locale: 'ar-EG' });

  const link = page.getByRole('navigation', { name: 'Categories' }).getByRole('link', { name: category });
  // The list is cached for a second.
  await until(async () => {
    await page.goto(stack.storefrontUrl, { waitUntil: 'networkidle' });
    return link.isVisible();
  });
  t.true(await fits(), 'the list');
  t.deepEqual(await page.getByRole('navigation', { name: 'More' }).getByRole('link').allTextContents(), ['Web']);
  await link.click();
  await page.getByRole('heading', { level: 1, name: category }).waitFor();
  await page.reload();
  await page.getByRole('main').getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  t.true(await fits(), 'the product');
  await addToCart(page);
  const { height = 0 } = (await page.getByRole('button', { name: /^Remove/ }).boundingBox()) ?? {};
  t.true((await fits()) && height < 40, `the cart, with a button ${height} pixels high`);
  await page.goBack();
  await page.getByRole('main').getByRole('link', { name: category }).click();
  await page.getByRole('heading', { level: 1, name: category }).waitFor();
  await page.goto(`${stack.storefrontUrl}/categories/%E0%A4%A`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  t.deepEqual(complaints, []);
});

browserTest('the storefront writes amounts of a currency without a fraction as emails do', async (t) => {
  const { stack, browser } = t.context;
  const variants = [{ sku: 'JAR', price_cents: 1250 }];
  await clientsOf(stack).admin.createProduct({ slug: 'jar', name: 'Jar', status: 'published', variants });
  for (const currency of ['ISK', 'COP', 'JPY', 'KWD', 'USD']) {
    const page = await browser.newPage();
    await changeStorefront(page, { currency });
    await page.goto(`${stack.storefrontUrl}/products/jar`);
    const written = formatMoney(1250, currency, 'en-US').replace(/\s/, ' ');
    await page.getByText(written).first().waitFor();
    await page.close();
  }
  t.pass();
});

browserTest('a line of the cart has the quantity that was entered, whichever key or button sends it', async (t) => {
  const page = await openProduct(t, 'oak-bowl');
  await addToCart(page);
  const quantity = page.getByLabel('Quantity of Oak bowl, Small');
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PATCH'),
    quantity.press('Enter'),
  ]);
  await page.locator('main:not([aria-busy])').waitFor();
  await quantity.fill('');
  await quantity.blur();

  const item = '**/items/*';
  const short = { error: 'insufficient_stock', detail: 'Not enough in stock.', items: [{ available: 0 }] };
  const headers = { 'access-control-allow-origin': '*' };
  const reject = (route: Route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 409, headers, json: short }) : route.fallback();
  await page.route(item, reject);
  await page.getByRole('button', { name: 'One more of Oak bowl, Small' }).click();
  await page.getByRole('alert').getByText('Not enough in stock').waitFor();
  await page.unroute(item, reject);
  await quantity.fill('7');
  await quantity.blur();
  await page.getByText('$266.00').first().waitFor();
  await page.getByRole('button', { name: 'One fewer of Oak bowl, Small' }).click();
  await page.getByText('$228.00').first().waitFor();
  await page.getByRole('button', { name: 'Remove Oak bowl, Small' }).click();
  await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor();
  t.pass();
});

browserTest('who presses again while the payment page opens begins one checkout, and another one later', async (t) => {
  const page = await openProduct(t, 'oak-bowl');
  await addToCart(page);
  let begun = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/checkout/sessions')) begun += 1;
  });
  const opening: Route[] = [];
  await page.route('**/pay/*', (route) => {
    opening.push(route);
  });
  await page.evaluate("window.pressing = setInterval(() => document.querySelector('.checkout button').click(), 10)");
  await until(() => opening.length === 1);
  // The page stays, as one that the browser shows again when the shopper comes back.
  await opening[0]?.fulfill({ status: 204 });
  await page.evaluate('clearInterval(pressing)');
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
  await page.locator('.checkout button:enabled').click();
  await until(() => opening.length === 2);
  t.is(begun, 2);
});

browserTest('a storefront that cannot reach its store says so, and does not call a link used', async (t) => {
  const { stack, browser } = t.context;
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const away = page.getByRole('alert').filter({ hasText: 'The store cannot be reached at the moment.' });
  await page.route('**/api/v1/storefront', (route) => route.abort());
  await page.goto(stack.storefrontUrl);
  await away.waitFor();
  await page.unroute('**/api/v1/storefront');
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.getByRole('link', { name: /Oak bowl/ }).waitFor();

  await page.route('**/magic-link/consume', (route) => route.abort());
  await page.goto(`${stack.storefrontUrl}/account/sign-in?token=${'a'.repeat(69)}`);
  await away.waitFor();
  await page.unroute('**/magic-link/consume');
  await page.reload();
  await page.getByRole('alert').getByText('This link has been used or has expired.').waitFor();
  t.pass();
});

browserTest('the link to the content leaves what is entered there', async (t) => {
  const page = await openProduct(t, 'oak-bowl');
  await page.getByText('Write a review').click();
  const review = page.getByLabel('Your review');
  await review.fill('Half written');
  await page.getByRole('link', { name: 'Skip to the content' }).press('Enter');
  await page.waitForURL('**/products/oak-bowl#main');
  await page.locator('main:not([aria-busy])').waitFor();
  t.is(await review.inputValue(), 'Half written');
  await page.goBack();
  await page.waitForURL('**/products/oak-bowl');
  t.is(await review.inputValue(), 'Half written');
});

browserTest('a shopper buys on the storefront in a browser that blocks its storage', async (t) => {
  const { stack, browser } = t.context;
  const context = await browser.newContext();
  const denied = "{ get() { throw new DOMException('Denied.', 'SecurityError'); } }";
  await context.addInitScript(
    `Object.defineProperties(window, { localStorage: ${denied}, sessionStorage: ${denied} })`,
  );
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${stack.storefrontUrl}/products/oak-bowl`);
  await addToCart(page);
  await page.getByRole('button', { name: 'Check out' }).click();
  await page.getByLabel('Email', { exact: true }).fill('bea@shopper.example');
  await payOnHostedPage(page);
  await page.getByRole('heading', { name: /^Order ORD-\d+$/ }).waitFor();
  t.deepEqual(complaints, []);
  await context.close();
});

browserTest('operators open their pages, and a page of another origin cannot press their buttons', async (t) => {
  const { stack, browser } = t.context;
  const session = await browser.newContext({ viewport: { width: 390, height: 844 }, httpCredentials: ops });
  const page = await session.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${stack.url}/ops`);
  await page.getByText('Nothing needs attention.').waitFor();
  for (const name of ['Labels', 'Webhooks', 'Payments', 'Analytics', 'Overview']) {
    await page.getByRole('navigation').getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name: name === 'Overview' ? 'Operations' : name }).waitFor();
    t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits a narrow window`);
  }
  t.deepEqual(complaints, []);

  // The storefront is another origin: the browser knows the password, and is sent away all the same.
  const answers: number[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'POST') answers.push(response.status());
  });
  await page.goto(`${stack.storefrontUrl}/pictures/mark.svg`);
  await page.route(`${stack.storefrontUrl}/elsewhere`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${stack.url}/ops/labels/retry"><button>Win a prize</button></form>`,
    }),
  );
  await page.goto(`${stack.storefrontUrl}/elsewhere`);
  await page.getByRole('button', { name: 'Win a prize' }).click();
  await page.waitForURL(`${stack.url}/ops/labels/retry`);
  t.deepEqual(answers, [403]);
  await session.close();
});

browserTest('a failed webhook is sent again when an operator presses its button', async (t) => {
  const { stack, browser } = t.context;
  const system = await startSystem();
  t.teardown(system.close);
  system.behave({ status: 500 });
  const { admin } = clientsOf(stack);
  const {
    webhook_endpoint: { id },
  } = await admin.createWebhookEndpoint({ url: system.url, events: ['order.paid'] });
  await admin.testWebhookEndpoint(id);
  await until(async () => (await admin.listWebhookDeliveries(id, { state: 'failed' })).deliveries.length === 1);
  system.behave({ status: 204 });

  const session = await browser.newContext({ httpCredentials: ops });
  const page = await session.newPage();
  await page.goto(`${stack.url}/ops`);
  await page.getByText('A webhook delivery failed after its last attempt.').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
  await page
    .getByRole('row', { name: /webhook\.test/ })
    .getByRole('button', { name: 'Send again' })
    .click();
  await page.getByRole('status').getByText('The webhook will be sent again.').waitFor();
  await system.received(3);
  t.is(new Set(system.requests.map(({ headers }) => headers['webhook-id'])).size, 1, 'a receiver knows it again');
  await until(async () => (await admin.listWebhookDeliveries(id, { state: 'delivered' })).deliveries.length === 1);
  await page.goto(`${stack.url}/ops/webhooks`);
  await page.getByText('All endpoints are working.').waitFor();
  await session.close();
});
