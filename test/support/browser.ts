import { type Browser, chromium, type Page } from 'playwright-core';

import { ensureChromium } from '#src/dev/embedded/programs.ts';

/** Where it is false, browser tests are skipped; with REQUIRE_CHROMIUM=1 the run fails before. */
export const hasBrowser = Boolean(process.env['CHROMIUM_PATH']);

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
  return chromium.launch({ executablePath: await ensureChromium(), args: flags });
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
