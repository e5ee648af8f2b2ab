import type { ExecutionContext, SerialFn, TestFn } from 'ava';
import { type Browser, chromium, type Page } from 'playwright-core';

import { ensureChromium } from '#src/dev/embedded/programs.ts';
import { within } from '#src/lib/within.ts';
import { waitMaxMs } from './until.ts';

/** Where it is false, browser tests are skipped; with REQUIRE_CHROMIUM=1 the run fails before. */
export const hasBrowser = Boolean(process.env['CHROMIUM_PATH']);

type Run<Context> = (t: ExecutionContext<Context>) => Promise<void>;

/**
 * Declares tests in a browser by `test` or `test.serial`. One that fails says what each page showed, which a busy
 * machine may not repeat.
 */
export function inBrowser<Context>(declare: TestFn<Context> | SerialFn<Context>) {
  if (!hasBrowser) return (title: string, run: Run<Context>) => declare.skip(title, run);
  return (title: string, run: Run<Context>) =>
    declare(title, async (t) => {
      try {
        await run(t);
      } catch (error) {
        await logPages(t);
        throw error;
      }
    });
}

const launched = new Set<Browser>();

/** Evaluated in each page, before its own scripts: note the last that was pressed, clicked and focused. */
const noteEvents = `{
  const noted = window.notedEvents = [];
  const note = ({ type, key = '', target: { tagName = '', ariaLabel, textContent } }) => {
    const text = tagName === 'BODY' ? '' : (ariaLabel ?? textContent ?? '').slice(0, 40);
    noted.push([Math.round(performance.now()), type, key, tagName, text].join(' '));
    if (noted.length > 40) noted.shift();
  };
  for (const type of ['pointerdown', 'pointerup', 'click', 'keydown', 'focusin']) addEventListener(type, note, true);
}`;

/** What each page shows, and what led there. One that does not respond says so. */
async function logPages(t: ExecutionContext<any>): Promise<void> {
  const pages = [...launched].flatMap((browser) => browser.contexts()).flatMap((context) => context.pages());
  for (const page of pages) {
    const read = Promise.all([page.locator('body').ariaSnapshot(), page.evaluate<readonly string[]>('notedEvents')]);
    const [shown, events] = (await within(5000, read).catch((error: Error) => [error.message, []])) ?? ['silent', []];
    t.log(page.url(), [shown, ...events].join('\n'));
  }
}

/** Nothing of its own reaches the network, and no container needs a sandbox within. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: flags });
  browser.on('context', (context) => {
    context.setDefaultTimeout(waitMaxMs);
    context.addInitScript(noteEvents).catch(() => undefined);
  });
  launched.add(browser);
  browser.on('disconnected', () => launched.delete(browser));
  return browser;
}

/** Changes the bodies that a page is sent. A response that is no success stays as it is, and the page requests it again. */
export async function changeBodies<Body extends object>(
  page: Page,
  url: string | RegExp,
  change: (body: Body) => object,
): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch();
    await route.fulfill(response.ok() ? { json: change((await response.json()) as Body) } : { response });
  });
}

/** The errors of a page: of its script, and violations of its own policy. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return complaints;
}
