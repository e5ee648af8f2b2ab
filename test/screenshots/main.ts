import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { readOptions } from '#src/cli/lib/script-options.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Capture } from '#test/support/walk-storefront.ts';

/*
 * `npm run screenshots -- <folder>`: starts the whole service, fills its store, and takes a picture of every page that
 * people see, in a wide and in a narrow window: the storefront, the operators' pages, the console, the documentation,
 * each email.
 */

const widths = { wide: 1280, narrow: 390 } as const;
type Width = keyof typeof widths;

const {
  folder,
  dark,
  console: onlyConsole,
} = readOptions(
  'Fills a store and takes a picture of every page that people see, wide and narrow:\n' +
    'storefront, operations, console, documentation, emails.',
  'npm run screenshots --',
  {
    folder: { default: '../pictures', description: 'The folder for the pictures.' },
    dark: { default: false, description: 'Take them in dark mode.' },
    console: { default: false, description: 'Take only those of the console.' },
  },
  '../pictures --dark',
);
const { ensureConsole } = await import('#src/console/build/ensure-built.ts');
const { startReceiver } = await import('#src/dev/demo/receiver.ts');
const { mailboxControl } = await import('#src/dev/simulators/mailbox/control.ts');
const { startStack } = await import('#src/dev/stack/start-stack.ts');
const { launchBrowser } = await import('#test/support/browser.ts');
const { until } = await import('#test/support/until.ts');
const { consolePages, openInConsole, owner, recordPages, signInToConsole } = await import(
  '#test/support/walk-console.ts'
);
const { buyOnStorefront, receiveParcel, requestReturnInPage, signInOnStorefront } = await import(
  '#test/support/walk-storefront.ts'
);
const { fillDemoStore } = await import('./fill-store.ts');

const target = resolve(folder);
mkdirSync(target, { recursive: true });

const receiver = await startReceiver();
const [stack, browser] = await Promise.all([
  startStack(receiver, {
    workers: 'all',
    environment: { LABEL_RETRY_SCHEDULE: '0s,0s', WEBHOOK_RETRY_SCHEDULE: '0s,1s' },
    report: (message) => console.log(message),
  }),
  launchBrowser(),
  ensureConsole(),
]);
try {
  if (!onlyConsole)
    for (const width of ['wide', 'narrow'] as const) await onPage(width, (page) => storefront(page, width));
  const filled = await fillDemoStore(stack);
  console.log('The store is filled.');
  for (const width of ['wide', 'narrow'] as const) {
    await onPage(width, async (page) => {
      await ownersConsole(page, width);
      if (onlyConsole) return;
      await operations(page, width, filled);
      await documentation(page, width);
      await mails(page, width);
    });
  }
} finally {
  await browser.close();
  await stack.stop();
  receiver.close();
}

async function onPage(width: Width, work: (page: Page) => Promise<void>): Promise<void> {
  const page = await (browser satisfies Browser).newPage({
    viewport: { width: widths[width], height: 860 },
    colorScheme: dark ? 'dark' : 'light',
  });
  await work(page);
  await page.close();
}

function captureOf(page: Page, width: Width, { whole = true } = {}): Capture {
  return async (name) => {
    // New parts of a page fade in.
    await page.evaluate(
      'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => undefined)',
    );
    await page.screenshot({ path: join(target, `${name}-${width}.png`), fullPage: whole });
    console.log(`${name}-${width}.png`);
  };
}

async function storefront(page: Page, width: Width): Promise<void> {
  const capture = captureOf(page, width);
  const walk = { page, stack: stack satisfies Stack, email: `ada-${width}@shopper.example`, capture };
  const order = await buyOnStorefront(walk);
  await receiveParcel(walk);
  await signInOnStorefront(walk, order);
  await requestReturnInPage(walk);
  for (const [path, heading, name] of [
    ['/journal', 'Journal', 'storefront-journal'],
    ['/journal/care-for-wood', 'How to care for wood', 'storefront-entry'],
    ['/cart', 'Your cart is empty', 'storefront-cart-empty'],
    ['/nowhere', 'Not found', 'storefront-not-found'],
  ] as const) {
    await page.goto(stack.storefrontUrl + path);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await capture(name);
  }
}

async function operations(
  page: Page,
  width: Width,
  { labels }: Awaited<ReturnType<typeof fillDemoStore>>,
): Promise<void> {
  const capture = captureOf(page, width);
  const labelPages = labels.map(
    ({ name, id }) => [`/ops/labels/${stack.store.slug}/${id}`, `ops-label-${name}`] as const,
  );
  const international = labels.find(({ name }) => name === 'international');
  for (const [path, name] of [
    ['/ops', 'ops'],
    ['/ops/labels', 'ops-labels'],
    ...labelPages,
    [`/ops/labels/${stack.store.slug}/${international?.id}?rates=1`, 'ops-label-rates'],
    ['/ops/webhooks', 'ops-webhooks'],
    ['/ops/drift', 'ops-drift'],
    ['/ops/analytics', 'ops-analytics'],
    [`/ops/analytics/${stack.store.slug}`, 'ops-analytics-store'],
  ] as const) {
    await open(page, path);
    await capture(name);
  }
  await open(page, '/ops/queues');
  await page
    .getByText(/Jobs?$/)
    .first()
    .waitFor();
  await capture('board');
  await open(page, '/ops/queues/queue/labels?status=failed');
  await page
    .getByText(/ORD-\d+: /)
    .first()
    .waitFor();
  await capture('board-failed-labels');
}

async function ownersConsole(page: Page, width: Width): Promise<void> {
  const capture = captureOf(page, width);
  await page.goto(`${stack.url}/admin`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await capture('console-sign-in');
  await signInToConsole(page, stack, owner);
  for (const [path, title, name] of [...consolePages, ...(await recordPages(stack, 10))]) {
    await openInConsole(page, stack, path, title);
    await capture(`console-${name}`);
  }
}

/** Busy, a page may respond 503 for a moment. */
async function open(page: Page, path: string): Promise<void> {
  await until(async () => (await page.goto(stack.url + path))?.ok(), { what: path });
}

async function documentation(page: Page, width: Width): Promise<void> {
  const capture = captureOf(page, width, { whole: false });
  await open(page, '/docs');
  await capture('docs');
  await page.goto(`${stack.url}/docs#tag-checkout`);
  await capture('docs-checkout');
}

async function mails(page: Page, width: Width): Promise<void> {
  const capture = captureOf(page, width);
  await page.goto(stack.mailboxUrl);
  await capture('mailbox');
  const messages = await mailboxControl(stack.mailboxUrl).messages();
  for (const {
    id,
    to: [recipient = ''],
  } of messages) {
    const [, kind] = /^(.+)@kinds\.example$/.exec(recipient) ?? [];
    if (!kind) continue;
    await page.goto(`${stack.mailboxUrl}/messages/${id}/html`);
    await capture(`mail-${kind}`);
  }
}
