/* What the parts of console-in-a-browser.test.ts share. */

import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import pg from 'pg';
import type { Browser, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { ensureConsole } from '#src/console/build/ensure-built.ts';
import { type Receiver, startReceiver } from '#src/dev/demo/receiver.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { changeBodies, hasBrowser, inBrowser, launchBrowser } from '#test/support/browser.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { openInConsole, owner, signInToConsole } from '#test/support/walk-console.ts';

export interface ConsoleContext {
  receiver: Receiver;
  stack: Stack;
  browser: Browser;
}

const test = anyTest as TestFn<ConsoleContext>;
export const browserTest = inBrowser(test.serial);
const london = { line1: '10 Downing St', city: 'London', postal_code: 'SW1A 2AA', country: 'GB' };
const sanFrancisco = { line1: '1 Market St', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' };
export const abroad = { email: 'jisoo@shopper.example', name: '김지수', address: london };
export const atHome = { email: 'grace@shopper.example', name: 'Grace', address: sanFrancisco };

test.before(async (t) => {
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

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const dialog = (page: Page) => page.getByRole('dialog');
export const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();

async function newWindow({ browser }: ConsoleContext, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  return context.newPage();
}

async function openWindow(context: ConsoleContext, email: string): Promise<Page> {
  const page = await newWindow(context);
  await signInToConsole(page, context.stack, email);
  return page;
}

/** A window of someone who has just signed in. */
export async function signIn(t: ExecutionContext<ConsoleContext>, email = owner): Promise<Page> {
  const page = await openWindow(t.context, email);
  t.teardown(() => page.context().close());
  return page;
}

let ownersWindow: Page | undefined;

/** The owner's window, which stays open from one test to the next, unless one fails. */
export async function openConsole(t: ExecutionContext<ConsoleContext>): Promise<Page> {
  ownersWindow ??= await openWindow(t.context, owner);
  t.teardown(() => {
    if (!t.passed) ownersWindow = undefined;
  });
  return ownersWindow;
}

/** A window of the owner's session in a browser of another language, on a computer in another time zone. */
export async function openElsewhere(
  t: ExecutionContext<ConsoleContext>,
  place: Required<Pick<BrowserContextOptions, 'locale' | 'timezoneId'>>,
): Promise<Page> {
  const storageState = await (await openConsole(t)).context().storageState();
  const page = await newWindow(t.context, { ...place, storageState });
  t.teardown(() => page.context().close());
  return page;
}

export async function openTab(t: ExecutionContext<ConsoleContext>, window: Page): Promise<Page> {
  const tab = await window.context().newPage();
  t.teardown(() => tab.close());
  return tab;
}

/** A tab of the owner's window for a test that changes what its page is sent, or its size. */
export const openOwnTab = async (t: ExecutionContext<ConsoleContext>) => openTab(t, await openConsole(t));

/** Lets the console take the store for another one in these fields. */
export const changeStoreOfSession = (page: Page, change: object) =>
  changeBodies<{ store: object }>(page, '**/api/v1/admin/session', (session) => ({
    ...session,
    store: { ...session.store, ...change },
  }));

/** Opens the page of an endpoint that rejects webhook.test and is sent no other event. It is deleted when the test ends. */
export async function openRejectingEndpoint(t: ExecutionContext<ConsoleContext>, page: Page): Promise<void> {
  const { receiver, stack } = t.context;
  const { admin } = clientsOf(stack);
  const { webhook_endpoint: endpoint } = await admin.createWebhookEndpoint({
    url: `${receiver.url}?rejects`,
    events: ['order.refunded'],
  });
  t.teardown(() => admin.deleteWebhookEndpoint(endpoint.id));
  await admin.testWebhookEndpoint(endpoint.id);
  await openInConsole(page, stack, `/webhooks/${endpoint.id}/show`, new URL(receiver.url).host);
}

/** Do what needs the second factor, and enter the code that is emailed then. */
export async function verifyAfter(page: Page, stack: Stack, act: () => Promise<void>, email = owner): Promise<void> {
  const mailbox = mailboxControl(stack.mailboxUrl);
  const filter = { to: email, subject: 'Your code' };
  const before = (await mailbox.messages(filter)).length;
  await deleteCodes(stack);
  await act();
  await enterCode(page, await until(async () => (await mailbox.messages(filter))[before], { what: 'the code' }));
}

/** The same in the owner's window, whose session may be verified already, until it is done. An owner gets few links. */
export async function doVerified(page: Page, stack: Stack, act: () => Promise<void>, done: Locator): Promise<void> {
  const mailbox = mailboxControl(stack.mailboxUrl);
  const filter = { to: owner, subject: 'Your code' };
  const before = (await mailbox.messages(filter)).length;
  await deleteCodes(stack);
  await act();
  const gate = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await gate.or(done).first().waitFor();
  if (await gate.isVisible()) await enterCode(page, await until(async () => (await mailbox.messages(filter))[before]));
  await done.waitFor();
}

/** All tests of the console together need more codes than one member gets in an hour. */
async function deleteCodes({ databaseUrl }: Stack): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c app.platform=on' });
  await client.connect();
  await client.query('delete from one_time_passwords');
  await client.end();
}

async function enterCode(page: Page, { text }: { readonly text: string | null }): Promise<void> {
  const gate = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await gate.getByLabel('Code').fill(/^\s*([A-Z0-9-]{6,})\s*$/m.exec(text ?? '')?.[1] ?? '');
  await button(page, 'Confirm').click();
}

/** Hold what is requested, so that a test decides what arrives when. */
export async function holdRequests(page: Page, url: string): Promise<{ held: Route[]; release: () => Promise<void> }> {
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

/** Evaluated in a page: count the numbers that are written from now on. */
export const countNumbers = `{
  const { get } = Object.getOwnPropertyDescriptor(Intl.NumberFormat.prototype, 'format');
  window.numbers = 0;
  Object.defineProperty(Intl.NumberFormat.prototype, 'format', { get() {
    window.numbers += 1;
    return get.call(this);
  } });
}`;
