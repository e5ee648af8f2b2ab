import type { Page } from 'playwright-core';

import { hours } from '#src/lib/duration.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { until } from '#test/support/until.ts';
import { buyMug, openInConsole } from '#test/support/walk-console.ts';
import { atHome, browserTest, button, confirm, dialog, openOwnTab } from './fixture.ts';

const notice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

browserTest('a success is shown longer than four seconds, and a failure until it is dismissed', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const order = await buyMug(stack, atHome);
  const page = await openOwnTab(t);
  await page.clock.install();
  await openInConsole(page, stack, `/orders/${order.id}/show`, order.number);
  await page.route('**/labels/*/file', (route) =>
    route.fulfill({ status: 503, json: { error: 'service_unavailable', detail: 'There is no label at the moment.' } }),
  );
  await button(page, 'Print the label').click();
  const failure = notice(page, 'There is no label at the moment.');
  await failure.waitFor();
  await page.clock.runFor(3_600_000);
  await page.getByRole('heading', { name: 'Timeline' }).click();
  t.true(await failure.isVisible());

  const firstElement = await failure.elementHandle();
  await button(page, 'Print the label').click();
  await firstElement?.waitForElementState('hidden');
  await failure.waitFor();
  t.is(await failure.count(), 1, 'it is said again, once');

  // From here on time passes in the page only where it is told to, however long the machine takes.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + hours(1));
  // What comes of something else is not held back by it.
  await button(page, 'Resend the receipt').click();
  await confirm(page, 'Resend the receipt');
  const success = notice(page, 'The receipt is on its way.');
  await until(async () => {
    await page.clock.runFor(50);
    return success.isVisible();
  });
  await page.clock.runFor(9000);
  t.true(await success.isVisible());
  await page.clock.runFor(2000);
  await success.waitFor({ state: 'detached' });
  await page.clock.resume();
  t.is(await failure.count(), 1);

  await button(page, 'Refund').focus();
  await button(page, 'Dismiss this message').click();
  await failure.waitFor({ state: 'detached' });
  t.is(await page.evaluate('document.activeElement.textContent'), 'Refund');
  await button(page, 'Print the label').click();
  await failure.waitFor();
  await page.keyboard.press('Escape');
  await failure.waitFor({ state: 'detached' });
  t.is(await dialog(page).count(), 0);
  t.is((await admin.getOrder(order.id)).order.status, 'paid');
});
