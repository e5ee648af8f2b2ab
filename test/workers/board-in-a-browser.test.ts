import test from 'ava';
import type { Page } from 'playwright-core';

import { basicLogin } from '#src/api/ops/protect.ts';
import { editAddress } from '#src/domain/shipping/index.ts';
import { labelOf, type Requested, request } from '#test/domain/shipping/support.ts';
import { inBrowser, launchBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/until.ts';
import { openLabelFixture } from './label-fixture.ts';

const browserTest = inBrowser(test);

/** SCREENSHOTS names a folder for pictures of the pages. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

browserTest('an operator reads failed jobs in a browser, corrects the cause, and retries them', async (t) => {
  const fixture = await openLabelFixture({ OPS_USER: 'ops', OPS_PASSWORD: 'a long password' });
  const { ctx, api } = fixture;
  const { order } = await request(ctx, { address: { street1: null } });
  await request(ctx, { items: [{ weightOz: null }] });
  await request(ctx, { items: [{ weightOz: null }] });
  await request(ctx, { address: { country: 'CA', state: 'ON', zip: 'K1A 0B1' } });
  const headers = { authorization: basicLogin({ user: 'ops', password: 'a long password' }) };
  const failedCount = async () => {
    const { body } = await api.call('GET', '/ops/queues/api/queues', { headers });
    return body.queues.find(({ name }: { name: string }) => name === 'labels').counts.failed;
  };
  await until(async () => (await failedCount()) === 3, { what: 'what is within the country to fail' });

  const browser = await launchBrowser();
  t.teardown(async () => {
    await browser.close();
    await fixture.close();
  });
  const session = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    httpCredentials: { username: 'ops', password: 'a long password' },
  });
  const page = await session.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.route(
    (url) => url.origin !== api.url,
    (route) => route.abort(),
  );

  await page.goto(`${api.url}/ops/queues/queue/labels?status=failed`);
  await page.getByText(`${order.orderNumber}: missing_address.`).first().waitFor();
  await page.getByText('Complete the address, then retry.', { exact: false }).first().waitFor();
  t.notRegex(await page.content(), /23rd|Ada Wells|10010|shippo_test/);
  await picture(page, 'board-failed');
  const buttons = page
    .locator(
      '[class^="jobActions-"] button, [class^="queueActions-"] button, [class^="trigger-"][aria-haspopup="menu"]',
    )
    .filter({ visible: true });
  t.is(await buttons.count(), 1 + 3, 'Retry all, and Retry for each');
  await page.goto(`${api.url}/ops/queues`);
  await page.getByText('3 Jobs').first().waitFor();
  await picture(page, 'board');
  t.is(await buttons.count(), 0);

  await page.goto(`${api.url}/ops/labels`);
  await page.getByRole('heading', { name: /no complete shipping address/ }).waitFor();
  await picture(page, 'labels');
  await page.getByRole('link', { name: order.orderNumber, exact: true }).click();
  await page.getByRole('heading', { name: 'Choose a rate' }).waitFor();
  await picture(page, 'label');

  await editAddress(ctx, {
    orderId: order.id,
    address: { name: 'Ada', street1: '1 Main St', city: 'Albany', state: 'NY', zip: '12207', country: 'US' },
  });
  await page.goto(`${api.url}/ops/queues/queue/labels?status=failed`);
  const card = page.locator('[class^="card-"]').filter({ hasText: `${order.orderNumber}: missing_address.` });
  await card.locator('[class^="jobActions-"] button').filter({ visible: true }).click();
  const [id] = /job_\w+/.exec(await card.innerText()) ?? [];
  t.is((await api.call('PUT', `/ops/queues/api/queues/labels/${id}/retry`, { headers })).status, 204);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('It may be running again.').waitFor();
  await until(async () => (await labelOf(ctx, order.id)).state === 'purchased');
  await picture(page, 'board-after-retry');
  t.is(fixture.shipping.bought().length, 1);
  t.deepEqual(complaints, []);
});

browserTest(
  'an operator corrects an address, chooses a rate, ships by hand and voids a label on the pages of labels',
  async (t) => {
    const fixture = await openLabelFixture();
    const { ctx, api, shipping } = fixture;
    const [homeless, abroad, weightless] = [
      await request(ctx, { address: { street1: null } }),
      await request(ctx, { address: { country: 'CA', state: 'ON', city: 'Ottawa', zip: 'K1A 0B1' } }),
      await request(ctx, { items: [{ weightOz: null }] }),
    ];
    for (const { order } of [homeless, abroad, weightless])
      await until(async () => (await labelOf(ctx, order.id)).state === 'needs_attention');
    const browser = await launchBrowser();
    t.teardown(async () => {
      await browser.close();
      await fixture.close();
    });
    const page = await browser.newPage();
    const open = async ({ order }: Requested) => {
      await page.goto(`${api.url}/ops/labels`);
      await page.getByRole('link', { name: order.orderNumber, exact: true }).click();
    };
    // The page reloads by itself until the work is done; a visit to another page before that could be canceled by it.
    const becomes = async ({ order }: Requested, state: string, heading: string) => {
      await page.getByRole('heading', { name: heading }).waitFor();
      t.is((await labelOf(ctx, order.id)).state, state);
    };

    await open(homeless);
    await page.getByLabel('Street', { exact: true }).fill('1 Main St');
    await page.getByRole('button', { name: 'Save and retry' }).click();
    await page.getByText('The address is saved and the label will be retried.').waitFor();
    await becomes(homeless, 'purchased', 'Bought.');

    await open(abroad);
    await page.getByRole('button', { name: 'Show rates' }).click();
    await page.getByRole('button', { name: 'Buy' }).first().click();
    await page.getByText('The label will be bought at this rate.').waitFor();
    await becomes(abroad, 'purchased', 'Bought.');

    await open(weightless);
    await page.getByLabel('Carrier').fill('USPS');
    await page.getByLabel('Tracking number').fill('9200000000000000000000');
    await page.getByRole('button', { name: 'Mark fulfilled' }).click();
    await page.getByText('The order is marked as shipped.').waitFor();
    await becomes(weightless, 'skipped', 'No label is needed.');
    await page.goto(`${api.url}/ops/labels`);
    await page.getByText('No label needs attention.').waitFor();

    await page.goto(`${api.url}/ops/labels/${ctx.tenant.slug}/${homeless.labelId}`);
    await page.getByText('Void the label').click();
    await page.getByRole('button', { name: 'Yes, void and refund it' }).click();
    await page.getByText('The label is voided.').waitFor();
    t.is(shipping.bought().length, 1);
    t.is((await labelOf(ctx, homeless.order.id)).state, 'voided');
  },
);
