import { readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { Page, Route } from 'playwright-core';
import { changeBodies } from '#test/support/browser.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { heading, openInConsole, recordPages } from '#test/support/walk-console.ts';
import { browserTest, button, type ConsoleContext, confirm, dialog, openConsole, openOwnTab } from './fixture.ts';

browserTest('who chooses a kind of file that Shopify does not write has another format chosen', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/imports', 'Imports');
  await button(page, 'New import').click();
  const choose = async (label: string, name: string) => {
    await dialog(page).getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  await choose('Contents', 'Products');
  await choose('Format', "Shopify's product file");
  await choose('Contents', 'Stock');
  await dialog(page).getByRole('combobox', { name: 'Format' }).filter({ hasText: 'CSV' }).waitFor();
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
  t.pass();
});

/** Opens the page of an import of stock that is in another state than the one that was made. */
async function openImport(t: ExecutionContext<ConsoleContext>, change: object): Promise<Page> {
  const { stack } = t.context;
  const [, , id] = (await recordPages(stack)).at(-1)?.[0].split('/') ?? [];
  const page = await openOwnTab(t);
  await changeBodies<{ import: object }>(page, `**/imports/${id}`, (found) => ({
    import: { ...found.import, samples: [], ...change },
  }));
  await openInConsole(page, stack, `/imports/${id}/show`, 'Import of stock');
  return page;
}

browserTest('a check of a file that still runs does not say that the file changes nothing', async (t) => {
  const page = await openImport(t, { state: 'running', finished_at: null });
  await page.getByText('First changes').waitFor();
  t.is(await page.getByText('The file changes nothing').count(), 0);
});

browserTest('a check of which every row is rejected does not say that the store has all of the file', async (t) => {
  const rows = { total: 2, read: 2, done: 2, failed: 2 };
  const page = await openImport(t, { rows, dry_run: true, state: 'completed' });
  await page.getByText('The accepted rows change nothing.').waitFor();
  t.is(await page.getByText('The file changes nothing').count(), 0);
});

browserTest('a file is checked, its rejected rows are downloaded, and an export of the products too', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/imports', 'Imports');
  await button(page, 'New import').click();
  await dialog(page).getByLabel('Contents').click();
  await page.getByRole('option', { name: 'Stock' }).click();
  const buffer = Buffer.from('sku,quantity\nBOWL-M,7\nNOWHERE,1\n');
  const before = (await clientsOf(stack).admin.listImports()).imports.length;
  const stops = dialog(page).getByRole('button', { name: 'Choose a file' });
  t.deepEqual(await stops.evaluateAll((all) => all.map(({ tagName }) => tagName)), ['INPUT'], 'for the keyboard');
  await dialog(page).getByLabel('Choose a file').setInputFiles({ name: 'stock.csv', mimeType: 'text/csv', buffer });
  await dialog(page).getByText('stock.csv').waitFor();
  const byProxy = { status: 413, contentType: 'text/html', body: '<h1>Request Entity Too Large</h1>' };
  const failures = [
    (route: Route) => route.fulfill(byProxy),
    async (route: Route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
  ];
  // The list behind the dialog is read again meanwhile.
  await page.route('**/imports?*', (route) => {
    const fail = route.request().method() === 'POST' ? failures.shift() : undefined;
    return fail ? fail(route) : route.fallback();
  });
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
  await page.getByText('nothing has changed', { exact: false }).waitFor();

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
  await page.getByRole('columnheader', { name: 'Would be' }).waitFor();
  t.deepEqual(await tags(), before);

  await button(page, 'Run').click();
  await confirm(page, 'Run');
  await button(page, 'Undo').click();
  t.deepEqual(await tags(), [...before, 'autumn']);
  await confirm(page, 'Undo');
  await heading(page, 'Undo: Change tags').waitFor();
  await page.getByText('Completed').waitFor();
  t.true(await page.getByRole('term').filter({ hasText: 'Original change' }).isVisible());
  t.true(await page.getByText('Add: autumn').isVisible());
  t.deepEqual(await tags(), before);
});
