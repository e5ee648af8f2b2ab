import anyTest, { type TestFn } from 'ava';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import type { Tenant } from '#src/domain/tenants/index.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { type Owner, type OwnerContext, ownerOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

type T = { context: OwnerContext };

/** What spreadsheets, CSV, HTML and JSON have meanings for, and letters that are written in several ways. */
const characters = [
  ...['=', '+', '-', '@', "'", '"', ',', ';', '\t', '\n', '\r\n', ' ', '\u00a0', '|', '{', '[', '&', '<', '>', '&lt;'],
  ...['a', 'B', '0', '1', '.', 'é', 'e\u0301', 'ß', 'א', 'ع', '\u200f', '茶', '😀', '👩‍👧'],
];
const textOf = (lengthMax: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: lengthMax });
const name = textOf(12).filter((text) => text.trim() !== '');
const tag = textOf(6).filter((text) => /^[^\s,](?:[^,]*[^\s,])?$/.test(text));
const cents = fc.nat({ max: 100_000 });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const variant = fc.record({
  name,
  price_cents: cents,
  compare_at_cents: optional(cents),
  subscription_price_cents: optional(cents),
  weight_oz: optional(fc.nat({ max: 100_000 }).map((thousandths) => thousandths / 1000)),
  stock: fc.option(fc.nat({ max: 1000 })),
  low_stock_at: optional(fc.nat({ max: 10 })),
  ships: optional(fc.boolean()),
  backorder: optional(fc.boolean()),
  options: fc.dictionary(name, name, { maxKeys: 3 }),
});
const product = fc.record({
  name,
  description: optional(textOf(30)),
  category: optional(name),
  tags: fc.uniqueArray(tag, { maxLength: 3 }),
  status: fc.constantFrom('draft', 'published'),
  images: fc.array(fc.record({ url: fc.constant('https://shop.example.com/a.jpg'), alt: optional(textOf(8)) }), {
    maxLength: 3,
  }),
  purchase_types: fc.constantFrom(['one_time'], ['subscription'], ['one_time', 'subscription']),
  variants: fc.array(variant, { minLength: 1, maxLength: 3 }),
});

/** Each run has a store of its own. */
const stores = fc.array(product, { minLength: 1, maxLength: 12 }).map((products) =>
  products.map((each, index) => ({
    ...each,
    slug: `p-${index}`,
    variants: each.variants.map((one, at) => ({ ...one, sku: `${["'", '0', '=', '', '1E'][at % 5]}${index}-${at}` })),
  })),
);

const newOwner = async ({ context: { ctx, services, api } }: T, given: Partial<Tenant> = {}): Promise<Owner> =>
  ownerOf(() => api, { ...ctx, tenant: await buildTenant(services, given) });

const ended = (t: T, owner: Owner, path: string, name: 'import' | 'export'): Promise<any> =>
  until(async () => {
    await runJobs(t.context.services);
    const { body } = await owner.get(path);
    return body[name].finished_at && body[name];
  });

async function importFile(t: T, owner: Owner, format: string, file: string, kind = 'products'): Promise<any> {
  const sent = await owner.post(`/imports?kind=${kind}&format=${format}`, file, { 'content-type': 'text/csv' });
  const done = await ended(t, owner, `/imports/${sent.body.import.id}`, 'import');
  const errors = done.rows.failed > 0 ? (await owner.get(`/imports/${done.id}/errors`)).body : '';
  return { ...done.changes, failed: done.rows.failed, failure: done.failure, errors };
}

async function exportFile(t: T, owner: Owner, format: string, kind = 'products'): Promise<string> {
  const { body } = await owner.post('/exports', { kind, format });
  const { url } = await ended(t, owner, `/exports/${body.export.id}`, 'export');
  const { pathname, search } = new URL(url);
  const response = await fetch(t.context.api.url + pathname + search);
  return Buffer.from(await response.arrayBuffer()).toString('utf8');
}

const tableOf = (file: string): string[][] => parse(file, { bom: true });

/** The cells in which two tables differ. */
const differences = (left: readonly string[][], right: readonly string[][]) =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, row) =>
    Array.from({ length: left[0]?.length ?? 0 }, (_, column) => ({
      row,
      column: left[0]?.[column],
      cells: [left[row]?.[column], right[row]?.[column]],
    })),
  )
    .flat()
    .filter(({ cells: [first, second] }) => first !== second);

const linesOf = (products: readonly object[]) => products.map((each) => JSON.stringify(each)).join('\n');

const runs = { numRuns: 6, endOnFailure: true };

test('whatever a store has, its export changes nothing where it is imported', async (t) => {
  await fc.assert(
    fc.asyncProperty(stores, async (products) => {
      const owner = await newOwner(t);
      const created = await importFile(t, owner, 'jsonl', linesOf(products));
      t.like(created, { created: products.length, failed: 0 }, created.errors);
      for (const format of ['csv', 'jsonl']) {
        const file = await exportFile(t, owner, format);
        const again = await importFile(t, owner, format, file);
        const after = await exportFile(t, owner, format);
        if (format === 'csv') t.deepEqual(differences(tableOf(file), tableOf(after)), []);
        t.true(after === file, format);
        t.like(again, { unchanged: products.length, updated: 0, failed: 0 }, format);
        const other = await newOwner(t);
        t.like(await importFile(t, other, format, file), { created: products.length, failed: 0 });
        t.true((await exportFile(t, other, format)) === file);
      }
    }),
    runs,
  );
});

const moment = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2025-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const line = name.map((text) => text.replaceAll(/[\r\n\t]+/g, ' ')).filter((text) => text.trim() !== '');
const percent = fc.integer({ min: 1, max: 1_000_000 }).map((tenThousandths) => tenThousandths / 10_000);
/** In hundreds, which every currency can charge. */
const hundreds = fc.integer({ min: 1, max: 1000 }).map((count) => count * 100);
const limit = optional(fc.integer({ min: 1, max: 1000 }));
const customer = fc.record({ name: optional(name), accepts_marketing: optional(fc.boolean()) });
const partner = fc.record({
  name: line,
  commission_percent: optional(percent),
  discount_percent: optional(percent),
  window: fc.constantFrom('30d', '23h', '1500ms'),
});
const promo = fc.record({
  value: fc.oneof(
    fc.record({ type: fc.constant('percent'), value: percent }),
    fc.record({ type: fc.constant('fixed'), value_cents: hundreds }),
    fc.record({ type: fc.constant('free_shipping') }),
  ),
  terms: fc.record({ min_subtotal_cents: optional(hundreds), usage_limit: limit, per_customer_limit: limit }),
  starts_at: optional(moment),
});
const item = fc.record({
  name,
  sku: optional(fc.constantFrom('0012', '=1', '1E5', '茶-1', "'7")),
  quantity: fc.integer({ min: 1, max: 20 }),
  unit_price_cents: hundreds,
});
const order = fc.record({
  created_at: moment,
  status: fc.constantFrom('paid', 'refunded', 'canceled'),
  discount_cents: optional(fc.constantFrom(0, 1, 99)),
  shipping_cents: optional(cents),
  tax_cents: optional(cents),
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
});

/** What stores have besides products, each under the name that a store gives it. */
const others = fc.record({
  customers: fc.array(customer, { minLength: 1, maxLength: 8 }).map(named('email', (index) => `c${index}@example.com`)),
  partners: fc.array(partner, { minLength: 1, maxLength: 8 }).map(named('code', (index) => `0${index}`)),
  promo_codes: fc
    .array(
      promo.map(({ value, terms, ...dates }) => ({ ...value, ...terms, ...dates })),
      { minLength: 1, maxLength: 8 },
    )
    .map(named('code', (index) => ['0', '1E', 'A-', '00', 'TRUE'][index % 5] + String(index))),
  orders: fc
    .array(order, { minLength: 1, maxLength: 8 })
    .map(named('order_number', (index) => ['00', '#', '=', '1E', '-'][index % 5] + String(index))),
});

function named<Thing>(field: string, nameOf: (index: number) => string) {
  return (things: readonly Thing[]) => things.map((each, index) => ({ ...each, [field]: nameOf(index) }));
}

test('customers, partners, promo codes and past orders of a store in any currency are the same after their export is imported', async (t) => {
  const currency = fc.constantFrom('JPY', 'KWD', 'ISK', 'UGX', 'HUF', 'USD');
  await fc.assert(
    fc.asyncProperty(currency, others, async (currency, kinds) => {
      const [owner, other] = [await newOwner(t, { currency }), await newOwner(t, { currency })];
      for (const [kind, things] of Object.entries(kinds)) {
        const created = await importFile(t, owner, 'jsonl', linesOf(things), kind);
        t.like(created, { created: things.length, failed: 0 }, `${kind}: ${created.failure} ${created.errors}`);
        for (const format of ['csv', 'jsonl']) {
          const file = await exportFile(t, owner, format, kind);
          const again = await importFile(t, owner, format, file, kind);
          t.like(again, { created: 0, updated: 0, unchanged: things.length, failed: 0 }, `${kind}: ${again.errors}`);
          t.is(await exportFile(t, owner, format, kind), file, `${kind} ${format}`);
        }
        const moved = await importFile(t, other, 'csv', await exportFile(t, owner, 'csv', kind), kind);
        t.like(moved, { created: things.length, failed: 0 }, `${kind}: ${moved.errors}`);
      }
    }),
    runs,
  );
});

/** As Shopify writes what it was given: without several spaces in a row, and with no more than three options. */
const written = (text: string | undefined) => text?.replaceAll(/\s+/g, ' ').trim();
const shopifyStores = stores.map((products) =>
  products.map((each) => ({
    ...each,
    description: written(each.description),
    purchase_types: ['one_time'],
    variants: each.variants.map(({ subscription_price_cents: _price, low_stock_at: _low, options, ...one }) => ({
      ...one,
      // An apostrophe before a digit is Excel's.
      sku: one.sku.replace(/^'/, ''),
      weight_oz: undefined,
      options: Object.fromEntries(Object.values(options).map((value, index) => [`Option ${index}`, value.trim()])),
    })),
  })),
);

test('whatever a store has, its export for Shopify is written again by a store that reads it', async (t) => {
  const withoutVendor = (file: string) => tableOf(file).map((cells) => cells.with(3, ''));
  await fc.assert(
    fc.asyncProperty(shopifyStores, async (products) => {
      const [owner, other] = [await newOwner(t), await newOwner(t)];
      t.like(await importFile(t, owner, 'jsonl', linesOf(products)), { created: products.length, failed: 0 });
      const file = await exportFile(t, owner, 'shopify');
      const read = await importFile(t, other, 'shopify', file);
      t.like(read, { created: products.length, failed: 0 }, read.errors);
      t.deepEqual(differences(withoutVendor(file), withoutVendor(await exportFile(t, other, 'shopify'))), []);
    }),
    runs,
  );
});

const spreadsheets = [
  { name: 'LibreOffice', delimiter: ',', record_delimiter: '\n', bom: false },
  { name: 'Excel', delimiter: ',', record_delimiter: '\r\n', bom: true },
  { name: 'Excel in German', delimiter: ';', record_delimiter: '\r\n', bom: true },
  { name: 'a text with tabs', delimiter: '\t', record_delimiter: '\r\n', bom: false },
];
/** Columns of an export, with another value for each. */
const edits = {
  name: 'Edited',
  description: 'Edited, too',
  category: 'edited',
  tags: 'edited',
  status: 'draft',
  price_cents: '123456',
  compare_at_cents: '234567',
  weight_oz: '1.25',
  low_stock_at: '77',
  variant_name: 'Edited',
};

test('of an export that is edited in a spreadsheet, exactly what was edited changes, or is rejected', async (t) => {
  const edit = fc.record({
    spreadsheet: fc.constantFrom(...spreadsheets),
    column: fc.constantFrom(...(Object.keys(edits) as (keyof typeof edits)[])),
    place: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(stores, fc.array(edit, { minLength: 4, maxLength: 4 }), async (products, chosen) => {
      const owner = await newOwner(t);
      t.like(await importFile(t, owner, 'jsonl', linesOf(products)), { created: products.length, failed: 0 });
      for (const { spreadsheet, column, place } of chosen) {
        const table: string[][] = tableOf(await exportFile(t, owner, 'csv'));
        const [at, row] = [table[0]?.indexOf(column) ?? -1, 1 + (place % (table.length - 1))];
        const edited = table.with(row, (table[row] ?? []).with(at, edits[column]));
        const done = await importFile(t, owner, 'csv', stringify(edited, { ...spreadsheet, quoted_match: /[\r\n]/ }));
        const after: string[][] = tableOf(await exportFile(t, owner, 'csv'));
        const isOfProduct = at < (table[0]?.indexOf('sku') ?? -1);
        const isRejected = isOfProduct && done.failed > 0;
        const isChanged = (cells: readonly string[], index: number) =>
          !isRejected && (index === row || (isOfProduct && cells[0] === table[row]?.[0]));
        const wanted = table.map((cells, index) => (isChanged(cells, index) ? cells.with(at, edits[column]) : cells));
        t.deepEqual(differences(wanted, after), [], `${spreadsheet.name}: ${column}. ${done.errors}`);
      }
    }),
    runs,
  );
});
