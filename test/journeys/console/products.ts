import { clientsOf } from '#test/support/clients-of.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import { heading, openInConsole } from '#test/support/walk-console.ts';
import {
  browserTest,
  button,
  type ConsoleContext,
  confirm,
  countNumbers,
  dialog,
  openConsole,
  openOwnTab,
} from './fixture.ts';

browserTest('a percentage and a weight are shown and edited with all of their decimals', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await admin.createPromoCode({ code: 'PRECISE', type: 'percent', value: 0.125 });
  await admin.savePartner({ code: 'precise', name: 'Precise', commission_percent: 7.1255 });
  const page = await openOwnTab(t);
  for (const [path, title, label, shown] of [
    ['/promo-codes', 'Promo codes', 'Percent', '0.125'],
    ['/partners', 'Partners', 'Commission in percent', '7.1255'],
  ] as const) {
    await openInConsole(page, stack, path, title);
    const row = page.getByRole('row', { name: /PRECISE/i });
    await row.getByRole('cell', { name: `${shown} %`, exact: true }).waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    t.is(await dialog(page).getByLabel(label).inputValue(), shown);
    await dialog(page).getByLabel(label).fill(`${shown} %`);
    await confirm(page, 'Save');
    await dialog(page).waitFor({ state: 'detached' });
  }
  const variants = [{ sku: 'FEATHER', price_cents: 100, weight_oz: 0.002 }];
  await admin.createProduct({ slug: 'feather', name: 'Feather', variants });
  await openInConsole(page, stack, '/products/feather/show', 'Feather');
  t.is(await page.getByLabel('Weight (oz)').inputValue(), '0.002');
});

browserTest('a product is created with the price that was entered, and not without one', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  const { admin } = clientsOf(stack);
  await openInConsole(page, stack, '/products/create', 'New product');
  await page.getByLabel('Slug').fill('ash-tray');
  await page.getByLabel('Name').first().fill('Ash tray');
  await page.getByLabel('Tags').fill('wood, gift');
  await page.getByLabel('SKU').fill('ASH-1');
  await button(page, 'Create').click();
  await page.getByText('Required').first().waitFor();
  await page.getByLabel('Price (USD)', { exact: false }).first().fill('$12.50');
  await button(page, 'Create').click();
  await heading(page, 'Ash tray').waitFor();
  const { product } = await admin.getProduct('ash-tray');
  t.is(product.variants[0]?.price_cents, 1250);
  t.deepEqual(product.tags, ['wood', 'gift']);
});

browserTest(
  'a variant gets another SKU, and its name follows that of its product if it has none of its own',
  async (t) => {
    const { stack } = t.context;
    const { admin } = clientsOf(stack);
    await admin.createProduct({
      slug: 'renamed',
      name: 'Ash bowl',
      variants: [{ sku: 'RENAMED-1', price_cents: 1200, stock: 3 }],
    });
    const page = await openConsole(t);
    await openInConsole(page, stack, '/products/renamed/show', 'Ash bowl');
    await page.getByLabel('Name *').fill('Walnut bowl');
    await page.getByLabel('SKU').fill('WALNUT-1');
    await button(page, 'Save').click();
    await heading(page, 'Walnut bowl').waitFor();
    const { variants } = (await admin.getProduct('renamed')).product;
    t.like(variants, only({ sku: 'WALNUT-1', name: 'Walnut bowl', stock: 3 }));
  },
);

browserTest('the options of a variant are edited as text', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const variants = [{ sku: 'OPTIONS-1', price_cents: 1200, options: { Size: 'Small', Color: 'Red' } }];
  await admin.createProduct({ slug: 'with-options', name: 'Pear bowl', variants });
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/with-options/show', 'Pear bowl');
  const options = page.getByRole('textbox', { name: 'Options' });
  t.is(await options.inputValue(), 'Size=Small; Color=Red');
  await options.fill('Size=Small; Red');
  await button(page, 'Save').click();
  await page.getByText('Write them like Size=Small; Color=Red, each name once.').waitFor();
  await options.fill('Size=Large; Color=Dark red');
  await button(page, 'Save').click();
  await page.getByText('Product saved.').waitFor();
  t.deepEqual((await admin.getProduct('with-options')).product.variants[0]?.options, {
    Size: 'Large',
    Color: 'Dark red',
  });
});

/** A product with as many variants as the API takes. */
async function createPaint({ stack }: ConsoleContext, slug: string): Promise<void> {
  const variants = Array.from({ length: 100 }, (_, index) => ({
    sku: `${slug}-${index}`,
    options: { Shade: `No. ${index}` },
    price_cents: 1000 + index,
    stock: index,
  }));
  await clientsOf(stack).admin.createProduct({ slug, name: 'Milk paint', variants });
}

browserTest('a product with many variants has the inputs of those that are opened, and of no other one', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await createPaint(t.context, 'paint');
  const { variants: before } = (await admin.getProduct('paint')).product;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/paint/show', 'Milk paint');
  const inputs = page.locator('form [name^="variants."]');
  const line = page.getByRole('button', { name: 'No. 57' });
  t.is(await line.innerText(), ['No. 57', 'paint-57', '$10.57', '57 on hand'].join('\n'));
  t.is(await inputs.count(), 0);

  await line.press('Enter');
  const sku = page.getByLabel('SKU');
  await sku.fill('');
  t.is(await inputs.count(), 10);
  await line.click();
  await page.getByText('Required').waitFor();
  t.is(await line.getAttribute('aria-expanded'), 'true');
  await sku.fill('paint-other');
  await page.getByText('Required').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: /^Price/ }).fill('12.50');
  await line.getByText('$12.50').waitFor();
  await line.press('Enter');
  await sku.waitFor({ state: 'detached' });
  t.is(await inputs.count(), 0);

  await page.getByRole('button', { name: 'No. 98' }).click();
  await page.getByLabel('Low stock at').fill('4');
  await page.getByLabel('Low stock at').press('Enter');
  await page.getByText('Product saved.').waitFor();
  await until(async () => (await page.evaluate('document.activeElement.name')) === 'variants.98.low_stock_at');
  t.is(await inputs.count(), 10);
  const after = before.map((variant, index) => ({
    ...variant,
    ...(index === 57 && { sku: 'paint-other', price_cents: 1250 }),
    ...(index === 98 && { low_stock_at: 4 }),
  }));
  t.deepEqual((await admin.getProduct('paint')).product.variants, after);
});

browserTest('a product that is read again and is as before is not drawn again', async (t) => {
  const { stack } = t.context;
  const page = await openOwnTab(t);
  const readAgain = () => page.waitForResponse('**/admin/products/oak-bowl');
  await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  await page.evaluate(countNumbers);
  await readAgain();
  await readAgain();
  t.is(await page.evaluate('window.numbers'), 0);
  await clientsOf(stack).admin.changeStock({ items: [{ sku: 'BOWL-L', change: 1 }] });
  await until(() => page.evaluate<boolean>('window.numbers > 0'));
});

browserTest('a variant that is closed opens where the service rejects it', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  await createPaint(t.context, 'limewash');
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/limewash/show', 'Milk paint');
  const inputs = page.locator('form [name^="variants."]');
  const line = page.getByRole('button', { name: 'No. 57' });
  await line.click();
  await page.getByLabel('SKU').fill('limewash-3');
  await line.click();
  await inputs.first().waitFor({ state: 'detached' });
  await button(page, 'Save').click();
  const sku = page.locator('[name="variants.57.sku"][aria-invalid=true]');
  await sku.waitFor();
  t.is(await inputs.count(), 10);
  t.is(await page.getByRole('alert').innerText(), 'Variants, 58, SKU is that of another variant.');
  await page.getByText('SKU is that of another variant.', { exact: true }).waitFor();

  await sku.fill('limewash-other');
  await button(page, 'Try again').click();
  await page.getByText('Product saved.').waitFor();
  t.is((await admin.getProduct('limewash')).product.variants[57]?.sku, 'limewash-other');

  await button(page, 'Remove variant 100').click();
  await page.locator('.ra-input-variants').getByRole('button', { name: 'Add' }).click();
  const added = page.locator('[name="variants.99.sku"]');
  t.is(await added.inputValue(), '');
  await added.fill('limewash-new');
  await page
    .getByRole('textbox', { name: /^Price/ })
    .last()
    .fill('9');
  await button(page, 'Save').click();
  await until(async () => (await admin.getProduct('limewash')).product.variants[99]?.sku === 'limewash-new');
});

browserTest('an image with another URL does not have the size of the one before', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openOwnTab(t);
  await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  const [, grain] = (await admin.getProduct('oak-bowl')).product.images;
  const url = 'https://cdn.cedar.example/tall-bowl.jpg';
  await page.getByLabel('URL', { exact: false }).first().fill(url);
  await button(page, 'Save').click();
  await page.getByText('Product saved.').waitFor();
  const { product } = await admin.getProduct('oak-bowl');
  t.like(product.images, { length: 2, 0: { url, width: null, height: null }, 1: { ...grain } });

  await openInConsole(page, stack, '/content/article%2Fcare-for-wood/show', 'How to care for wood');
  await page.getByLabel('URL of the image').fill(url);
  await button(page, 'Save').click();
  await page.getByText('Entry saved.').waitFor();
  t.like((await admin.getEntry('article', 'care-for-wood')).entry.image, { url, width: null, height: null });
});

browserTest('a stock is corrected, and its history has the correction', async (t) => {
  const { stack } = t.context;
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/oak-bowl/show', 'Oak bowl');
  const row = page.getByRole('row', { name: /BOWL-L/ });
  const before = Number(await row.getByRole('cell').nth(3).textContent());
  await row.getByRole('button', { name: 'Change' }).click();
  await dialog(page).getByLabel('Number').fill('-2');
  await confirm(page, 'Change');
  await row.getByRole('cell', { name: String(before - 2), exact: true }).waitFor();
  await row.getByRole('button', { name: 'History' }).click();
  await dialog(page).getByRole('cell', { name: '-2' }).waitFor();
  t.is(await dialog(page).getByText('These are the latest', { exact: false }).count(), 0);
  await confirm(page, 'Close');

  const { admin } = clientsOf(stack);
  for (const change of Array.from({ length: 50 }, () => [1, -1]).flat())
    await admin.changeStock({ items: [{ sku: 'BOWL-L', change }] });
  await row.getByRole('button', { name: 'History' }).click();
  await dialog(page).getByText('These are the latest 100.').waitFor();
  await confirm(page, 'Close');
});

browserTest('a counted stock cannot be negative, which its form says', async (t) => {
  const page = await openConsole(t);
  await openInConsole(page, t.context.stack, '/products/oak-bowl/show', 'Oak bowl');
  await page
    .getByRole('row', { name: /BOWL-S/ })
    .getByRole('button', { name: 'Change' })
    .click();
  await dialog(page).getByLabel('what was counted').check();
  await dialog(page).getByLabel('Number').fill('-1');
  await confirm(page, 'Change');
  await dialog(page).getByText('At least 0.', { exact: true }).waitFor();
  await dialog(page).getByLabel('what came or went').check();
  await confirm(page, 'Change');
  await dialog(page).waitFor({ state: 'detached' });
  t.pass();
});

browserTest('a counted stock is entered once, though the response was lost, and takes back no sale', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const page = await openConsole(t);
  await openInConsole(page, stack, '/products/linen-towels/show', 'Linen kitchen towels');
  const count = async (quantity: string) => {
    const row = page.getByRole('row', { name: /TOWEL-NAT/ });
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog(page).getByLabel('what was counted').check();
    await dialog(page).getByLabel('Number').fill(quantity);
  };
  const onHand = async () => (await admin.getProduct('linen-towels')).product.variants[0]?.stock;

  await count('71');
  await page.route('**/admin/stock', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await confirm(page, 'Change');
  const changed = dialog(page).getByText('That has changed meanwhile', { exact: false });
  await dialog(page)
    .getByText(/cannot be reached/)
    .waitFor();
  await changed.waitFor();
  await page.unroute('**/admin/stock');
  await confirm(page, 'Try again');
  await dialog(page).waitFor({ state: 'detached' });
  t.is(await onHand(), 71);

  await count('70');
  await admin.changeStock({ items: [{ sku: 'TOWEL-NAT', change: -5 }] });
  await changed.waitFor();
  await confirm(page, 'Change');
  await dialog(page)
    .getByText(/has changed since it was read/)
    .waitFor();
  t.is(await onHand(), 66);
  page.once('dialog', (warning) => warning.accept());
  await confirm(page, 'Close');
  await count('64');
  await confirm(page, 'Change');
  await dialog(page).waitFor({ state: 'detached' });
  t.is(await onHand(), 64);
});

browserTest(
  'an amount by which prices fall is as large as the API takes, and a rejected price has its label',
  async (t) => {
    const page = await openConsole(t);
    await openInConsole(page, t.context.stack, '/products', 'Products');
    await button(page, 'Change many').click();
    await dialog(page).getByRole('combobox', { name: 'What to do' }).click();
    await page.getByRole('option', { name: 'Change prices' }).click();
    await dialog(page).getByLabel('Or by an amount').fill('-20000');
    await confirm(page, 'Preview');
    await heading(page, 'Change prices').waitFor();
    await page.getByRole('cell', { name: 'Price of MUG-SAND would be below zero.' }).waitFor();
    t.pass();
  },
);
