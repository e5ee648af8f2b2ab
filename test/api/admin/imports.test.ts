import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { exportKindOf, fileBytesMax } from '#src/domain/bulk/index.ts';
import { listManagedProducts, removeProduct } from '#src/domain/catalog/index.ts';
import { saveCustomers } from '#src/domain/customers/index.ts';
import { quoteGiftCard, redeemGiftCard, saveGiftCard } from '#src/domain/promotions/index.ts';
import { changeStaff, revokeStaff, roles } from '#src/domain/staff/index.ts';
import { sql } from '#src/lib/sql.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { bearer, buildSession } from '#test/support/factories/sessions.ts';
import { buildStaff, buildStaffSession } from '#test/support/factories/staff.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { auditOf, deedsOf, type OwnerContext, ownerOf, pagesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

type T = { context: OwnerContext };

const send = (t: T, query: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  t.context.owner.post(`/imports?${query}`, body, { 'content-type': 'text/csv', ...headers });

/** Import a file to its end. @returns the import as it is then */
async function importFile(t: T, query: string, body: string | Uint8Array): Promise<any> {
  const { status, body: sent } = await send(t, query, body);
  if (status !== 202) throw new Error(JSON.stringify(sent));
  return endOf(t, sent.import.id);
}

/** A test that runs beside this one may run the jobs of both. */
const endOf = (t: T, id: string): Promise<any> =>
  until(async () => {
    await runJobs(t.context.services);
    const { body } = await t.context.owner.get(`/imports/${id}`);
    return body.import.finished_at && body.import;
  });

/** The status of an upload that announces so many bytes. */
async function statusOfLength(t: T, length: number): Promise<number | undefined> {
  const authorization = `Bearer ${await buildKey(t.context.ctx, ['admin:write'])}`;
  const sent = request(`${t.context.api.url}/api/v1/admin/imports?kind=products&format=csv`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'text/csv', 'content-length': length },
  });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.destroy();
  return response.statusCode;
}

const errorsOf = (t: T, id: string): Promise<ApiResponse> => t.context.owner.get(`/imports/${id}/errors`);

const problemsOf = (t: T, id: string) =>
  read<{ cells: string[]; problem: string }>(
    t.context.ctx,
    sql`
    select cells, problem from bulk_rejected_rows
    where tenant_id = ${t.context.ctx.tenant.id} and operation_id = ${id} order by row_number`,
  );

async function productsOf(t: T) {
  const { rows } = await listManagedProducts(t.context.ctx, { limit: 100 });
  return rows.toSorted((left, right) => (left.slug < right.slug ? -1 : 1));
}

const bowls = [
  'slug,name,sku,price_cents,stock,tags,options',
  'oak-bowl,Oak bowl,BOWL-S,3800,5,"wood, kitchen",Size=Small',
  ',,BOWL-L,4800,2,,Size=Large',
  'cup,"Cup, with a ""handle""\nand two lines",CUP,1200,,,',
].join('\r\n');

const moved = (sku: string) => `sku,change\n${sku},5\n`;

test('a file that is sent again with its Idempotency-Key is imported once', async (t) => {
  const { ctx, owner } = t.context;
  const { variant } = await buildProduct(ctx);
  const again = () => send(t, 'kind=stock&format=csv', moved(variant.sku), { 'idempotency-key': 'recount' });
  const [first, second] = await Promise.all([again(), again()]);
  t.deepEqual([first.status, second.status], [202, 202]);
  const { id } = first.body.import;
  t.is(second.body.import.id, id);
  await endOf(t, id);
  const third = await again();
  t.deepEqual(third.body, (await owner.get(`/imports/${id}`)).body);
  t.deepEqual([first, second, third].map(({ headers }) => headers.get('idempotent-replayed')).toSorted(), [
    null,
    'true',
    'true',
  ]);
  t.is((await stockOf(ctx, variant.id)).stock, 105);
  const { body } = await owner.get('/imports');
  t.deepEqual(
    body.imports.map((one: { id: string }) => one.id),
    [id],
  );
});

test('another file, or another query, with an Idempotency-Key is rejected, and another caller has keys of their own', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx);
  const keyed = (query: string, file: string, key?: string) =>
    send(t, query, file, { 'idempotency-key': 'daily', ...(key && { authorization: `Bearer ${key}` }) });
  const first = await keyed('kind=stock&format=csv&dry_run=true', moved(variant.sku));
  t.is(first.status, 202);
  for (const [query, file] of [
    ['kind=stock&format=csv', moved(variant.sku)],
    ['kind=stock&format=csv&dry_run=true', moved(variant.sku).replace('5', '6')],
    ['kind=products&format=csv&dry_run=true', moved(variant.sku)],
  ] as const) {
    t.is(resultOf(await keyed(query, file)), '422 idempotency_key_reused', query);
  }
  await runJobs(t.context.services);
  t.is((await stockOf(ctx, variant.id)).stock, 100);
  const other = await keyed('kind=stock&format=csv', moved(variant.sku), await buildKey(ctx, ['admin:write']));
  await endOf(t, other.body.import.id);
  t.is((await stockOf(ctx, variant.id)).stock, 105);
});

test('POST /admin/imports rejects a misspelled dry_run rather than import', async (t) => {
  const { status, body } = await send(t, 'kind=products&format=csv&dryrun=true', bowls);
  t.is(status, 400);
  t.regex(JSON.stringify(body), /dryrun/);
  t.deepEqual(await productsOf(t), []);
});

test('POST /admin/imports imports products with their variants from CSV', async (t) => {
  const done = await importFile(t, 'kind=products&format=csv', bowls);
  t.like(done, { state: 'completed', failure: null, kind: 'products', mode: 'upsert', dry_run: false });
  t.deepEqual(done.rows, { total: 3, read: 3, done: 3, failed: 0 });
  t.deepEqual(done.changes, { created: 2, updated: 0, unchanged: 0 });
  const [cup, bowl] = await productsOf(t);
  t.is(cup?.name, 'Cup, with a "handle"\nand two lines');
  t.deepEqual(bowl?.tags, ['wood', 'kitchen']);
  t.deepEqual(
    bowl?.variants.map(({ sku, priceCents, stock, options }) => [sku, priceCents, stock, options]),
    [
      ['BOWL-S', 3800, 5, { Size: 'Small' }],
      ['BOWL-L', 4800, 2, { Size: 'Large' }],
    ],
  );
  t.deepEqual(await deedsOf(t.context.ctx), ['product.created', 'product.created']);

  const again = await importFile(t, 'kind=products&format=csv', bowls);
  t.deepEqual(again.changes, { created: 0, updated: 0, unchanged: 2 });
  const cheaper = await importFile(t, 'kind=products&format=csv', 'slug,sku,price_cents\noak-bowl,BOWL-L,4500\n');
  t.deepEqual(cheaper.changes, { created: 0, updated: 1, unchanged: 0 });
  const [, changed] = await productsOf(t);
  t.deepEqual(
    [changed?.name, changed?.tags, changed?.variants.map(({ priceCents }) => priceCents)],
    ['Oak bowl', ['wood', 'kitchen'], [3800, 4500]],
  );
  t.is((await importFile(t, 'kind=products&format=csv&mode=create', bowls)).rows.failed, 3);
  t.deepEqual(
    (await pagesOf(t.context.owner, '/imports', 'imports')).flat().map(({ changes }) => changes.created),
    [0, 0, 0, 2],
  );
});

test('imports of one store at once read each its own file', async (t) => {
  const slugs = ['bowl', 'cup', 'plate'];
  const sent = [];
  for (const slug of slugs)
    sent.push(await send(t, 'kind=products&format=csv', `slug,name,sku,price_cents\n${slug},${slug},${slug},1200\n`));
  for (const { body } of sent)
    t.like(await endOf(t, body.import.id), { changes: { created: 1, updated: 0, unchanged: 0 } });
  t.deepEqual(
    (await productsOf(t)).map(({ slug }) => slug),
    slugs,
  );
});

test('an import rejects what may be two thousand, or a major unit, in every column of whole numbers', async (t) => {
  const files = {
    products: ['slug,sku', 'numbered,N-1', ['price_cents', 'compare_at_cents', 'stock', 'low_stock_at']],
    stock: ['sku', 'N-1', ['quantity', 'change']],
    gift_cards: ['code', 'NUMBERED-CARD-1', ['balance_cents']],
    promo_codes: ['code,type,value_cents', 'NUMBERED,fixed,100', ['min_subtotal_cents', 'usage_limit']],
  } as const;
  for (const [kind, [header, cells, columns]] of Object.entries(files)) {
    for (const column of columns) {
      const rows = ['2.000', '100.00'].map((number) => `${cells},${number}`);
      const done = await importFile(
        t,
        `kind=${kind}&format=csv&mode=upsert`,
        [`${header},${column}`, ...rows].join('\n'),
      );
      const problems = await problemsOf(t, done.id);
      t.true(problems[0]?.problem.startsWith(`${column} must be a`), `${kind}: ${column}: ${problems[0]?.problem}`);
      t.is(done.rows.failed, 2, column);
    }
  }
});

test('an import reads the numbers and truths of a German spreadsheet, but not what may be a thousand', async (t) => {
  const rows = ['light;Light;L-1;1900;12,5;FALSCH;WAHR', 'heavy;Heavy;H-1;1900;1,250;;'];
  const file = ['slug;name;sku;price_cents;weight_oz;ships;backorder', ...rows].join('\r\n');
  const { id } = await importFile(t, 'kind=products&format=csv', file);
  t.like(await problemsOf(t, id), only({ problem: 'weight_oz must be a number.' }));
  t.like(
    await productsOf(t),
    only({ slug: 'light', variants: only({ weightOz: 12.5, ships: false, backorder: true }) }),
  );
});

test('an import rejects what a spreadsheet has abbreviated, in every column that identifies something', async (t) => {
  const files = {
    products: ['csv', 'slug,name,price_cents', 'long,Long,100', ['sku']],
    stock: ['csv', 'quantity', '5', ['sku']],
    orders: [
      'csv',
      'created_at,email,name,quantity,unit_price_cents',
      '2025-01-02T00:00:00Z,ada@example.com,Bowl,1,100',
      ['order_number', 'tracking_number', 'shipping_phone', 'sku'],
    ],
    promo_codes: ['csv', 'type,value', 'percent,10', ['code']],
    partners: ['csv', 'name', 'Ada', ['code']],
    'products ': ['shopify', 'Handle,Title,Variant Price', 'long,Long,1.00', ['Variant SKU']],
  } as const;
  for (const [kind, [format, header, cells, columns]] of Object.entries(files)) {
    for (const column of columns) {
      const number = column === 'order_number' ? '' : kind === 'orders' ? ',P-1' : '';
      const rows = ['4.90123E+12', '4,9E+12', '1E+20'].map((text) => `${cells}${number},"${text}"`);
      const heading = `${header}${number && ',order_number'},${column}`;
      const { id, changes } = await importFile(
        t,
        `kind=${kind.trim()}&format=${format}`,
        [heading, ...rows].join('\n'),
      );
      t.like(changes, { created: 0, updated: 0, unchanged: 0 }, `${kind}: ${column}`);
      const [first] = await problemsOf(t, id);
      const problem = `${column} must have all its digits, not 4.90123E+12: format the column as text in the spreadsheet.`;
      t.is(first?.problem, problem);
    }
  }
});

test('an import rejects the SKU of a product without its zeros, unless both are its SKUs', async (t) => {
  const variants = ['00123', '0000', '7', 'A-01'].map((sku) => ({ sku, price_cents: 100 }));
  const product = { slug: 'zeros', name: 'Zeros', variants };
  await buildProduct(t.context.ctx, product);
  const fileOf = (...skus: string[]) => ['slug,sku,price_cents', ...skus.map((sku) => `zeros,${sku},200`)].join('\n');
  for (const [meant, read] of [
    ['00123', '123'],
    ['0000', '0'],
  ] as const) {
    const { id } = await importFile(t, 'kind=products&format=csv', fileOf('7', read));
    const detail = `must be ${meant}, as the product has it: format the column as text in the spreadsheet`;
    const [first] = await problemsOf(t, id);
    t.is(first?.problem, `sku ${detail} (variant ${read}).`);
  }
  const stored = async () => (await productsOf(t)).flatMap((each) => each.variants).map(({ sku }) => sku);
  t.deepEqual(await stored(), ['00123', '0000', '7', 'A-01']);
  for (const skus of [['00123', '123'], ['07'], ['A-1'], ['0123']]) {
    t.like(await importFile(t, 'kind=products&format=csv', fileOf(...skus)), { changes: { updated: 1 } }, skus.join());
  }
  t.deepEqual((await stored()).toSorted(), ['00123', '0000', '7', 'A-01', '123', '07', 'A-1', '0123'].toSorted());
});

test('an import reads what is true or false in the language of a spreadsheet, capitals or not', async (t) => {
  const pairs = [
    ...['TRUE FALSE', 'WAHR FALSCH', 'VRAI FAUX', 'VERO FALSO', 'VERDADEIRO FALSO', 'VERDADERO FALSO', 'WAAR ONWAAR'],
    ...['SANT FALSKT', 'SAND FALSK', 'SANN USANN', 'TOSI EPÄTOSI', 'SATT ÓSATT', 'PRAWDA FAŁSZ', 'PRAVDA NEPRAVDA'],
    ...['IGAZ HAMIS', 'DOĞRU YANLIŞ', 'ИСТИНА ЛОЖЬ', 'yes no', '1 0'],
  ].map((pair) => pair.split(' '));
  const rows = pairs.flatMap(([yes, no], index) => [
    `f-${index},F,F-${index},1,${yes},${no}`,
    `g-${index},G,G-${index},1,${no?.toLowerCase()},${yes?.toLowerCase()}`,
  ]);
  const file = ['slug,name,sku,price_cents,ships,backorder', ...rows].join('\n');
  const { id, changes } = await importFile(t, 'kind=products&format=csv', file);
  t.deepEqual(await problemsOf(t, id), []);
  t.is(changes.created, rows.length);
  for (const { slug, variants } of await productsOf(t)) {
    const ships = slug.startsWith('f');
    t.like(variants, only({ ships, backorder: !ships }), slug);
  }
});

test('an import reads numbers in full width, with the digits of another script, and with invisible marks', async (t) => {
  const numbers = ['１２００', '١٢٠٠', '۱۲۰۰', '१२००', '\u200f1200'];
  const rows = numbers.map((number, index) => `n-${index},N,N-${index},${number},${number}`);
  const file = ['slug,name,sku,price_cents,weight_oz', ...rows].join('\n');
  t.deepEqual(await problemsOf(t, (await importFile(t, 'kind=products&format=csv', file)).id), []);
  for (const { slug, variants } of await productsOf(t)) {
    t.like(variants, only({ priceCents: 1200, weightOz: 1200 }), slug);
  }
  const cards = numbers.map((number, index) => `NUMBERS-CARD-${index},${number}`);
  const done = await importFile(t, 'kind=gift_cards&format=csv', ['code,balance_cents', ...cards].join('\n'));
  t.like(done, { changes: { created: numbers.length }, rows: { failed: 0 } });
});

test('an import reports each rejected row, and its list of errors can be corrected and imported', async (t) => {
  await buildProduct(t.context.ctx, { slug: 'other', variants: [{ sku: 'TAKEN' }] });
  const file = [
    'slug;name;sku;price_cents',
    'good;Good;G-1;100',
    'Bad Slug;Bad;B-1;100',
    'decimal;Decimal;D-1;19.99',
    'stolen;Stolen;TAKEN;100',
    'short;Short',
    'formula;=1+1;F-1;100',
    'nameless;;N-1;100',
    ';;;',
    ' ; ;;',
  ].join('\n');
  const done = await importFile(t, 'kind=products&format=csv', file);
  t.like(done, { state: 'completed', changes: { created: 2 }, rows: { total: 7, done: 7, failed: 5 } });
  const { body, headers } = await errorsOf(t, done.id);
  t.regex(headers.get('content-type') ?? '', /^text\/csv/);
  const lines = body.trim().split('\r\n');
  t.is(lines[0], 'slug,name,sku,price_cents,import_row,import_problem');
  t.is(lines[1], 'Bad Slug,Bad,B-1,100,3,slug must be written like oak-bowl.');
  t.regex(lines[2], /^decimal,Decimal,D-1,19.99,4,"price_cents must be a whole number of minor units/);
  t.is(lines[3], 'stolen,Stolen,TAKEN,100,5,sku belongs to another product.');
  t.is(lines[4], 'short,Short,,,6,"The row has 2 cells, and the header has 4."');
  t.is(lines[5], 'nameless,,N-1,100,8,name is required.');

  const corrected = body.replace('Bad Slug', 'bad-slug').replace('19.99', '1999').replace('TAKEN', 'FREE');
  t.like(await importFile(t, 'kind=products&format=csv', corrected.replace('nameless,,', 'nameless,Name,')), {
    changes: { created: 4 },
    rows: { failed: 1 },
  });
});

test('a dry run reports what would change and changes nothing', async (t) => {
  await buildProduct(t.context.ctx, { slug: 'oak-bowl', name: 'Old name', variants: [{ sku: 'BOWL-S' }] });
  const done = await importFile(t, 'kind=products&format=csv&dry_run=true', bowls);
  t.like(done, { dry_run: true, state: 'completed', changes: { created: 1, updated: 1, unchanged: 0 } });
  t.deepEqual(
    done.samples.map(({ subject, action }: any) => [subject, action]),
    [
      ['product oak-bowl', 'updated'],
      ['product cup', 'created'],
    ],
  );
  t.deepEqual(
    (await productsOf(t)).map(({ name }) => name),
    ['Old name'],
  );
  t.deepEqual(await deedsOf(t.context.ctx), []);
});

test('an import reads lines of JSON, and stock by SKU', async (t) => {
  const lines = [
    { slug: 'a', name: 'A', variants: [{ sku: 'A-1', price_cents: 100, stock: 1 }] },
    { slug: 'a', variants: [{ sku: 'A-2', price_cents: 200 }] },
    { slug: 'b', name: 'B', variants: [{ sku: 'B-1', price_cents: '100' }] },
  ];
  const file = `${lines.map((line) => JSON.stringify(line)).join('\n\n')}\nnonsense`;
  const products = await importFile(t, 'kind=products&format=jsonl', file);
  t.like(products, { rows: { total: 4, failed: 2 }, changes: { created: 1, updated: 1 } });
  t.regex(
    (await errorsOf(t, products.id)).body,
    /,5,variants\/0\/price_cents must be.*\r\nnonsense,6,The line is not JSON\./,
  );

  const items = 'sku\tquantity\tchange\nA-1\t0\t\nA-2\t\t-1\nA-3\t1\t\nA-1\t2\t1\n\t2\t\nA-2\t\t\nA-2\t-1\t\n';
  const stock = await importFile(t, 'kind=stock&format=csv', items);
  t.like(stock, { rows: { failed: 5 }, changes: { updated: 1, unchanged: 1 } });
  t.deepEqual((await errorsOf(t, stock.id)).body.trim().split('\r\n').slice(1), [
    "A-2,,'-1,3,A-2 is not tracked.",
    'A-3,1,,4,There is no variant A-3.',
    'A-1,2,1,5,change must not be given with a quantity.',
    ',2,,6,sku is required without a variant_id.',
    "A-2,'-1,,8,The stock of A-2 would fall below zero.",
  ]);
  t.is((await productsOf(t))[0]?.variants[0]?.stock, 0);
  t.deepEqual(await deedsOf(t.context.ctx), ['product.created', 'product.updated', 'stock.updated']);
});

test('an import reads customers, partners, content and promo codes', async (t) => {
  const { ctx, owner } = t.context;
  await transact(ctx, (ctx) =>
    saveCustomers(ctx, [{ email: 'eve@example.com', accepts_marketing: false }, { email: 'ada@example.com' }]),
  );
  const customers =
    'email,name,accepts_marketing\nADA@example.com,Ada,yes\neve@example.com,,yes\nbob@example.com,Bob,\nnone,,\n';
  t.like(await importFile(t, 'kind=customers&format=csv', customers), {
    rows: { failed: 1 },
    changes: { created: 1, updated: 1, unchanged: 1 },
  });
  t.deepEqual(
    (await owner.get('/customers')).body.customers
      .map(({ email, accepts_marketing }: any) => [email, accepts_marketing])
      .toSorted(),
    [
      ['ada@example.com', true],
      ['bob@example.com', null],
      ['eve@example.com', false],
    ],
  );
  const twice = `${customers}bob@example.com,Robert,\n`;
  t.like(await importFile(t, 'kind=customers&format=csv&mode=create', twice), { rows: { failed: 5 } });

  const partners = 'code,name,commission_percent,window\nmaker,The Maker,12.5,60d\nother,Other,200,\n';
  t.like(await importFile(t, 'kind=partners&format=csv', partners), { rows: { failed: 1 }, changes: { created: 1 } });
  t.like((await owner.get('/partners')).body.partners[0], { code: 'maker', commission_percent: 12.5 });

  const content =
    'type,slug,title,body,tags,image_url\narticle,care,Care,"# Oil\ntwice a year",wood,https://shop.example.com/a.jpg\n';
  t.like(await importFile(t, 'kind=content&format=csv', content), { changes: { created: 1 } });
  t.like((await owner.get('/content/article/care')).body.entry, {
    title: 'Care',
    body: { format: 'markdown', value: '# Oil\ntwice a year' },
    tags: only('wood'),
  });

  const codes = 'code,type,value,value_cents\nTEN,percent,10,\nFIVE,fixed,,500\nNONE,percent,,\n';
  t.like(await importFile(t, 'kind=promo_codes&format=csv', codes), { rows: { failed: 1 }, changes: { created: 2 } });
  t.is((await owner.get('/promo-codes')).body.promo_codes.length, 2);
  t.false(JSON.stringify(await auditOf(ctx)).includes('@'), 'the audit log holds no email');
});

test('the audit log names what was imported by the id that the lists of the store have', async (t) => {
  const { ctx, owner } = t.context;
  const files: readonly (readonly [kind: string, list: string, plural: string, file: string])[] = [
    ['products', 'products', 'products', 'slug,name,sku,price_cents\nbowl,Bowl,BOWL,100\n'],
    ['customers', 'customers', 'customers', 'email\nada@example.com\n'],
    ['partners', 'partners', 'partners', 'code,name\nmaker,The Maker\n'],
    ['content', 'content', 'entries', 'type,slug,title\narticle,care,Care\n'],
    ['promo_codes', 'promo-codes', 'promo_codes', 'code,type,value\nTEN,percent,10\n'],
    ['gift_cards', 'gift-cards', 'gift_cards', 'code,balance_cents\nABCD-EFGH-JKLM-NPQR,500\n'],
    [
      'orders',
      'orders',
      'orders',
      'order_number,created_at,name,quantity,unit_price_cents\n#1,2024-03-01T10:00:00Z,Bowl,1,100\n',
    ],
  ];
  for (const [kind, list, plural, file] of files) {
    t.like(await importFile(t, `kind=${kind}&format=csv`, file), { changes: { created: 1 } }, kind);
    const [{ id }] = (await owner.get(`/${list}`)).body[plural];
    const { entries } = (await owner.get(`/audit-log?subject_id=${id}`)).body;
    t.is(entries.length, 1, kind);
  }
  const named = (await auditOf(ctx)).map(({ after }) => after.name).filter((name) => !name.startsWith('customer cus_'));
  t.deepEqual(named, [
    'product bowl',
    'partner maker',
    'content article/care',
    'promo code TEN',
    'gift card …NPQR',
    'order #1',
  ]);
});

test('an import of past orders adds to the history of the store and of the customer, and nothing follows', async (t) => {
  const { api, ctx, owner, services } = t.context;
  await buildProduct(ctx, { variants: [{ sku: 'PLATE' }] });
  const former = await buildProduct(ctx, { variants: [{ sku: 'BOWL' }] });
  await transact(ctx, (ctx) => removeProduct(ctx, former.slug));
  const { variant } = await buildProduct(ctx, { slug: 'bowl', variants: [{ sku: 'BOWL' }] });
  const recent = await buildPaidOrder(ctx, { email: 'ada@example.com' });
  const file = [
    'order_number,email,created_at,status,sku,name,quantity,unit_price_cents,item_discount_cents,shipping_cents,tax_cents,shipping_city,shipping_country',
    '#1001,Ada@example.com,2024-03-01T10:00:00Z,paid,BOWL,Oak bowl,2,3000,500,700,412,Portland,us',
    '#1001,,,,GONE,Old cup,1,1500,,,,,',
    '#1002,ada@example.com,2023-01-01T10:00:00Z,refunded,,Gift,1,900,,,,,',
    'ORD-1001,ada@example.com,2023-01-01T10:00:00Z,paid,,Gift,1,900,,,,,',
    '#1003,ada@example.com,yesterday,paid,,Gift,1,900,,,,,',
  ].join('\n');
  t.like(await importFile(t, 'kind=orders&format=csv', file), {
    failure: null,
    rows: { total: 5, failed: 2 },
    changes: { created: 2 },
  });
  t.like(await importFile(t, 'kind=orders&format=csv', file), { changes: { created: 0, unchanged: 2 } });

  const { orders } = (await owner.get('/orders?email=ada@example.com')).body;
  t.deepEqual(
    orders.map(({ order_number: number }: any) => number),
    [recent.orderNumber, '#1001', '#1002'],
    'in the order in which they were made',
  );
  const [, first] = orders;
  t.like(first, {
    status: 'paid',
    fulfillment_status: 'delivered',
    created_at: '2024-03-01T10:00:00.000Z',
    subtotal_cents: 7000,
    total_cents: 8112,
    attentions: [],
  });
  t.is(first.shipping_address.country, 'US');
  t.is(first.items[0].variant_id, variant.id);
  t.deepEqual(
    first.items.map(({ sku }: any) => sku),
    ['BOWL', 'GONE'],
  );
  const headers = bearer((await buildSession(ctx, { email: 'ada@example.com' })).token);
  const portal = (await api.call('GET', '/api/v1/customer-portal/orders', { headers })).body;
  t.is(portal.orders.length, 3);

  await runJobs(services);
  t.is((await stockOf(ctx, variant.id)).stock, 100);
  const followed = await read(
    ctx,
    sql`
    select 'label' from labels where tenant_id = ${ctx.tenant.id} and order_number like '#%'
    union all select 'mail' from mails where tenant_id = ${ctx.tenant.id} and subject_id = ${first.id}
    union all select 'event' from events where tenant_id = ${ctx.tenant.id} and object_id = ${first.id}`,
  );
  t.deepEqual(followed, []);
  const journal = exportKindOf({ kind: 'journal' }).select(ctx, { from: null, to: null });
  const entries = await read<{ reference: string }>(ctx, journal);
  t.deepEqual([...new Set(entries.map(({ reference }) => reference))], [recent.orderNumber]);
  t.is(resultOf(await owner.post(`/orders/${first.id}/refunds`, { amount_cents: 100 })), '409 refund_not_allowed');
  t.is(resultOf(await owner.post(`/orders/${first.id}/label`, {})), '409 order_shipped');
  t.is((await owner.get(`/orders/${first.id}`)).body.order.imported_at, first.imported_at);
  t.truthy(first.imported_at);
  t.is(orders[0].imported_at, null);
});

test('an import of past orders rejects one that exists with other content, and says that its rows follow each other', async (t) => {
  const { owner } = t.context;
  const header = 'order_number,email,created_at,name,quantity,unit_price_cents,total_cents';
  const rows = [
    's1,ada@example.com,2024-03-01T10:00:00Z,Oak bowl,1,1000,3000',
    's2,bo@example.com,2024-03-01T10:00:00Z,Gift,1,900,',
    's1,ada@example.com,2024-03-01T10:00:00Z,Old cup,1,2000,3000',
  ];
  const scattered = await importFile(t, 'kind=orders&format=csv', [header, ...rows].join('\n'));
  t.like(scattered, { rows: { failed: 1 }, changes: { created: 2, unchanged: 0 } });
  const { body: text } = await errorsOf(t, scattered.id);
  t.regex(text, /Old cup/);
  t.regex(text, /Order S1 was imported with other content, and imported orders are not changed\. Rows of one order/);

  const again = await importFile(t, 'kind=orders&format=csv', [header, ...rows.slice(0, 2)].join('\n'));
  t.like(again, { rows: { failed: 0 }, changes: { unchanged: 2 } }, 'the same content is unchanged');
  const corrected = [header, rows[0]?.replace('3000', '1000')].join('\n');
  t.like(await importFile(t, 'kind=orders&format=csv', corrected), { rows: { failed: 1 }, changes: { unchanged: 0 } });
  const { order } = (await owner.get(`/orders/${(await owner.get('/orders?q=S1')).body.orders[0].id}`)).body;
  t.like(order, { total_cents: 3000, items: only({ name: 'Oak bowl' }) });
});

const pastOrder = (fields: object) => ({
  order_number: '#1',
  created_at: '2024-03-01T10:00:00Z',
  items: [{ name: 'Oak bowl', quantity: 1, unit_price_cents: 1000 }],
  ...fields,
});

test('an import of past orders rejects amounts that contradict each other, and derives the status', async (t) => {
  const accepted = [
    [{ refunded_cents: 400 }, { status: 'partially_refunded', refunded_cents: 400 }],
    [{ refunded_cents: 1000 }, { status: 'refunded', refunded_cents: 1000 }],
    [{ status: 'refunded' }, { status: 'refunded', refunded_cents: 1000 }],
    [{ status: 'canceled' }, { status: 'canceled', payment_status: 'unpaid' }],
    [{ total_cents: 999 }, { status: 'paid', total_cents: 999 }],
  ] as const;
  const rejected = [
    [{ refunded_cents: 1001 }, 'refunded_cents must be at most 1000.'],
    [{ status: 'paid', refunded_cents: 500 }, 'refunded_cents must be 0, as the status is paid.'],
    [{ status: 'canceled', refunded_cents: 100 }, 'refunded_cents must be 0, as the status is canceled.'],
    [{ status: 'refunded', refunded_cents: 500 }, 'refunded_cents must be the total, as the status is refunded.'],
    [
      { status: 'partially_refunded' },
      'refunded_cents must be a part of the total, as the status is partially_refunded.',
    ],
    [{ discount_cents: 1001 }, 'discount_cents must be at most 1000.'],
    [
      { items: [{ name: 'Cup', quantity: 2, unit_price_cents: 50, discount_cents: 101 }] },
      'items/0/discount_cents must be at most 100.',
    ],
  ] as const;
  const lines = [...accepted, ...rejected].map(([fields], index) =>
    JSON.stringify(pastOrder({ ...fields, order_number: `#${index}` })),
  );
  const imported = await importFile(t, 'kind=orders&format=jsonl', lines.join('\n'));
  t.like(imported, { rows: { failed: rejected.length }, changes: { created: accepted.length } });
  const { orders } = (await t.context.owner.get('/orders')).body;
  for (const [index, [, stored]] of accepted.entries())
    t.like(
      orders.find(({ order_number: number }: any) => number === `#${index}`),
      stored,
    );
  const { body: text } = await errorsOf(t, imported.id);
  for (const [, problem] of rejected) t.true(text.includes(problem), problem);
});

test('the parcels of past orders are shown with them, where their orders say they are', async (t) => {
  const { owner } = t.context;
  const lines = [
    { order_number: '#1', tracking_number: '9400 1000 0000 0000 0000 00', carrier: 'USPS' },
    { order_number: '#2', tracking_number: '1Z998', fulfillment_status: 'shipped' },
    { order_number: '#3', tracking_number: '1Z999', fulfillment_status: 'returned' },
    { order_number: '#4', tracking_number: '1Z997', fulfillment_status: 'unfulfilled' },
  ].map((fields) => JSON.stringify(pastOrder(fields)));
  t.like(await importFile(t, 'kind=orders&format=jsonl', lines.join('\n')), { changes: { created: 4 } });
  const { orders } = (await owner.get('/orders')).body;
  const labels = new Map<string, any>(orders.map(({ order_number: number, labels }: any) => [number, labels]));
  t.deepEqual(labels.get('#1'), [
    {
      carrier: 'USPS',
      service: null,
      tracking_number: '9400100000000000000000',
      tracking_url: null,
      status: 'delivered',
    },
  ]);
  t.like(labels.get('#2'), only({ tracking_number: '1Z998', status: 'transit' }));
  t.like(labels.get('#3'), only({ tracking_number: '1Z999', status: 'returned' }));
  t.like(labels.get('#4'), only({ tracking_number: '1Z997', status: null }));
});

test('an import of past orders rejects rows of one order with different emails', async (t) => {
  const file = [
    'order_number,email,created_at,name,quantity,unit_price_cents',
    '#1,ada@example.com,2024-03-01T10:00:00Z,Oak bowl,1,1000',
    '#1,bo@example.com,2024-03-01T10:00:00Z,Old cup,1,1000',
    '#2,ada@example.com,2024-03-01T10:00:00Z,Oak bowl,1,1000',
    ',bo@example.com,2024-03-01T10:00:00Z,Old cup,1,1000',
    '#3,ada@example.com,2024-03-01T10:00:00Z,Oak bowl,1,1000',
    '#3,Ada@example.com,,Old cup,1,1000',
    ',,,Gift,1,1000',
  ].join('\n');
  const imported = await importFile(t, 'kind=orders&format=csv', file);
  t.like(imported, { rows: { failed: 4 }, changes: { created: 1 } });
  const { body: text } = await errorsOf(t, imported.id);
  t.is(text.split('email must be the same in all rows of an order.').length, 3);
});

test.serial('an import of gift cards stores hashes of codes only, and its errors can be imported', async (t) => {
  const { ctx, owner } = t.context;
  const code = 'ABCD-EFGH-JKLM-NPQR';
  const file = `code;balance_cents\r\n${code};5000\r\n abcdefgh ;-1\r\nabc;100\r\n`;
  const sent = await send(t, 'kind=gift_cards&format=csv', file);
  const stored = await read<{ text: string }>(
    ctx,
    sql`
    select convert_from(content, 'utf8') as text from bulk_chunks where tenant_id = ${ctx.tenant.id}`,
  );
  t.regex(
    stored[0]?.text ?? '',
    /^code,balance_cents\r\nhash:[\w-]{43}:NPQR,5000\r\nhash:[\w-]{43}:EFGH,'-1\r\n\?too short,100\r\n$/,
  );
  const done = await endOf(t, sent.body.import.id);
  t.like(done, { changes: { created: 1 }, rows: { total: 3, failed: 2 } });
  const saved = await transact(ctx, (ctx) => saveGiftCard(ctx, { code: code.toLowerCase(), balance_cents: 1 }));
  t.like(saved, { subject: 'gift card …NPQR', action: 'unchanged' });
  const errors = (await errorsOf(t, done.id)).body as string;
  t.true(errors.includes('?too short,100,4,A code has at least 8 letters and digits.'));

  t.like(await importFile(t, 'kind=gift_cards&format=csv', errors.replace(/,'?-1,/, ',2500,')), {
    changes: { created: 1 },
    rows: { failed: 1 },
  });
  const lines = `${JSON.stringify({ code: 'ABCDEFGH', balance_cents: 2500 })}\n`;
  t.like(await importFile(t, 'kind=gift_cards&format=jsonl', lines), { changes: { created: 0, unchanged: 1 } });
  t.deepEqual(
    (await owner.get('/gift-cards')).body.gift_cards.map(({ balance_cents: cents }: any) => cents).toSorted(),
    [2500, 5000],
  );
  for (const [format, wrong] of [
    ['csv', `codes,balance_cents\n${code},100\n`],
    ['csv', `code,balance_cents\n100,200,${code}\n`],
    ['csv', `${code},5000\nABCD-EFGH-JKLM-NPQS,100\n`],
    ['jsonl', `{"balance_cents":100,"codes":["${code}"]}\n`],
    ['jsonl', `{"balance_cents":100,"code":"ABCDEFGHJK","${code}":1}\n`],
    ['jsonl', `${code}\n`],
  ]) {
    const rejected = await send(t, `kind=gift_cards&format=${format}`, wrong ?? '');
    t.is(resultOf(rejected), '400 invalid_request');
    t.false(JSON.stringify(rejected.body).includes('ABCD'), wrong);
  }
  t.is(
    (await send(t, 'kind=gift_cards&format=csv', `${code},5000\n`)).body.detail,
    'The file must begin with a header that has the columns code and balance_cents only.',
  );
  t.false(JSON.stringify((await owner.get('/imports')).body).includes('ABCD'));
  const remaining = await read(
    ctx,
    sql`
    select 1 from bulk_chunks where tenant_id = ${ctx.tenant.id}
    union all select 1 from bulk_batches where tenant_id = ${ctx.tenant.id}`,
  );
  t.deepEqual(remaining, []);
});

test('an import rejects a gift card that was issued with another amount', async (t) => {
  const { ctx } = t.context;
  const code = 'ABCD-EFGH-JKLM-NPQR';
  const fileOf = (...amounts: number[]) => ['code,balance_cents', ...amounts.map((cents) => `${code},${cents}`)];
  const first = await importFile(t, 'kind=gift_cards&format=csv', fileOf(500, 700, 500).join('\n'));
  t.like(first, { rows: { failed: 1 }, changes: { created: 1, updated: 0, unchanged: 1 } });
  t.regex(
    (await errorsOf(t, first.id)).body,
    /,700,3,The card exists already. It was issued with a balance_cents of 500.\r\n$/,
  );

  const { giftCardId } = await quoteGiftCard(ctx, { code, orderTotalCents: 100 });
  const redemption = { giftCardId: giftCardId ?? '', amountCents: 300, orderId: 'ord_1', isHeld: false };
  t.true(await transact(ctx, (ctx) => redeemGiftCard(ctx, redemption)));
  t.like(await importFile(t, 'kind=gift_cards&format=csv', fileOf(500, 200).join('\n')), {
    rows: { failed: 1 },
    changes: { created: 0, updated: 0, unchanged: 1 },
  });
});

test('an import of gift cards accepts codes as other shops print them, at the checkout as well', async (t) => {
  const { ctx } = t.context;
  const codes = [
    'ABCD_EFGH.1234/5678',
    'EFGH–JKLM–1234',
    'GHJK−LMNP—1235',
    'ABC#12345',
    "O'BRIEN123",
    '-abcd\u00a0efgh\u2011jk',
    'A1B2C3D4',
    'L'.repeat(64),
  ];
  const lines = codes.map((code) => JSON.stringify({ code, balance_cents: 500 }));
  const done = await importFile(t, 'kind=gift_cards&format=jsonl', lines.join('\n'));
  t.like(done, { rows: { failed: 0 }, changes: { created: codes.length } });
  for (const written of [...codes, 'ABCDEFGH12345678', 'efgh-jklm-1234', 'OBrien 123']) {
    t.like(await quoteGiftCard(ctx, { code: written, orderTotalCents: 100 }), { valid: true }, written);
  }
});

test('an import of gift cards says why it rejects a code, also when its list of errors is imported', async (t) => {
  const rejected: [code: unknown, reason: string][] = [
    ['ABC-1234', 'A code has at least 8 letters and digits.'],
    ['', 'A code has at least 8 letters and digits.'],
    ['L'.repeat(65), 'A code has at most 64 letters and digits, and 100 characters in all.'],
    [`${'-'.repeat(93)}ABCD1234`, 'A code has at most 64 letters and digits, and 100 characters in all.'],
    ...['GÜLTIG123456', 'ABCD1234\nEFGH5678', '?ABCD1234', '?'].map((code): [string, string] => [
      code,
      'A code has only letters from A to Z, digits, punctuation and spaces, and begins with no "?".',
    ]),
    ...['1.23457E+15', '4,9E+12', '1E+20'].map((code): [string, string] => [
      code,
      'A spreadsheet has abbreviated the code. Format the column as text, and write all its letters and digits.',
    ]),
    ['hash:ABCD:EFGH', 'The hash was altered. Take it from the list of rejected rows, or write the code itself.'],
    [12345678, 'A code is a text: write it in quotes.'],
  ];
  const lines = rejected.map(([code]) => JSON.stringify({ code, balance_cents: 500 })).join('\n');
  const reasons = rejected.map(([, reason]) => reason);
  const { id } = await importFile(t, 'kind=gift_cards&format=jsonl', lines);
  const stored = await problemsOf(t, id);
  t.deepEqual(
    stored.map(({ problem }) => problem),
    reasons,
  );
  const again = stored.map(({ cells }) => cells[0]).join('\n');
  const { id: secondId } = await importFile(t, 'kind=gift_cards&format=jsonl', again);
  t.deepEqual(
    (await problemsOf(t, secondId)).map(({ problem }) => problem),
    reasons,
  );
});

test.serial('an import of gift cards with a code in the place of the balance stores the code nowhere', async (t) => {
  const { ctx } = t.context;
  const codes = ['WRNG-0001-QQQQ', '9876543210987654', '98765432', '９８７６５４３２'];
  const files = {
    csv: ['code,balance_cents,import_problem', ...codes.map((code) => `50,${code},${code}`)],
    jsonl: codes.flatMap((code) => [
      JSON.stringify({ code: '50', balance_cents: code }),
      JSON.stringify({ code: 50, balance_cents: Number(code) || [code] }),
    ]),
  };
  for (const [format, rows] of Object.entries(files)) {
    const sent = await send(t, `kind=gift_cards&format=${format}`, `${rows.join('\n')}\n`);
    const chunks = await read<{ text: string }>(
      ctx,
      sql`
      select convert_from(content, 'utf8') as text from bulk_chunks where tenant_id = ${ctx.tenant.id}`,
    );
    const done = await endOf(t, sent.body.import.id);
    t.like(done, { failure: null, changes: { created: 0 } });
    const stored = [
      ...chunks,
      done,
      (await errorsOf(t, done.id)).body,
      await read(ctx, sql`select cells, problem from bulk_rejected_rows where tenant_id = ${ctx.tenant.id}`),
    ];
    t.notRegex(JSON.stringify(stored), /WRNG|QQQQ|98765432|９８７６/);
  }
});

test('an import reads UTF-8, UTF-16 and Windows-1252, with and without a byte order mark and composed letters', async (t) => {
  const file = (slug: string) => `slug,name,sku,price_cents\n${slug},Café “Ö”,${slug},100\n`;
  const wide = Buffer.from(`\ufeff${file('wide')}`, 'utf16le');
  const encoded: [slug: string, bytes: Buffer][] = [
    ['plain', Buffer.from(file('plain'))],
    ['decomposed', Buffer.from(file('decomposed').normalize('NFD'))],
    ['marked', Buffer.from(`\ufeff${file('marked')}`)],
    ['wide', wide],
    ['big', Buffer.from(`\ufeff${file('big')}`, 'utf16le').swap16()],
    ['western', Buffer.from(file('western').replace('“', '\x93').replace('”', '\x94'), 'latin1')],
  ];
  for (const [slug, bytes] of encoded)
    t.like(await importFile(t, 'kind=products&format=csv', bytes), { failure: null }, slug);
  t.deepEqual(
    (await productsOf(t)).map(({ name }) => name),
    encoded.map(() => 'Café “Ö”'),
  );
});

test('an import reads what Windows writes in the language of the store', async (t) => {
  const { services } = t.context;
  const ctx = { ...t.context.ctx, tenant: await buildTenant(services, { locale: 'tr-TR' }) };
  const turkish = { context: { ...t.context, ctx, owner: await ownerOf(() => t.context.api, ctx) } };
  const file = Buffer.from('slug,name,sku,price_cents\nlight,I\xfe\xfdk,L,100\n', 'latin1');
  t.like(await importFile(turkish, 'kind=products&format=csv', file), { failure: null });
  t.deepEqual(
    (await productsOf(turkish)).map(({ name }) => name),
    ['Işık'],
  );
});

test('an import reads the products of a Shopify store as it exports them', async (t) => {
  const header =
    'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,' +
    'Option2 Value,Option3 Name,Option3 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,' +
    'Variant Inventory Qty,Variant Inventory Policy,Variant Fulfillment Service,Variant Price,' +
    'Variant Compare At Price,Variant Requires Shipping,Variant Taxable,Variant Barcode,Image Src,Image Position,' +
    'Image Alt Text,Gift Card,SEO Title,SEO Description,Variant Weight Unit,Variant Tax Code,Cost per item,Status';
  const rows = [
    'example-t-shirt,Example T-Shirt,"<p>Soft &amp; warm.</p><p>Made in<br>Lisbon</p>",Acme,Apparel,Shirts,"cotton, summer",TRUE,Size,Small,Color,Blue,,,example-shirt-s,200,shopify,12,deny,manual,19.99,24.99,TRUE,TRUE,,https://cdn.example.com/blue.jpg,1,A blue shirt,FALSE,,,g,,9.50,active',
    'example-t-shirt,,,,,,,,,Large,,Blue,,,,210,shopify,-3,continue,manual,21,,TRUE,TRUE,,https://cdn.example.com/back.jpg,2,,,,,g,,,',
    'example-t-shirt,,,,,,,,,,,,,,,,,,,,,,,,,https://cdn.example.com/side.jpg,3,,,,,,,,',
    'E-Book_Über,E-Book,,Acme,,,,FALSE,Title,Default Title,,,,,,0,,,deny,manual,5,,FALSE,FALSE,,,,,FALSE,,,kg,,,draft',
    'card,Gift card,,Acme,,,,TRUE,Title,Default Title,,,,,,0,,,deny,manual,10,,FALSE,FALSE,,,,,TRUE,,,kg,,,active',
  ];
  const done = await importFile(t, 'kind=products&format=shopify', `${header}\n${rows.join('\n')}\n`);
  t.like(done, { failure: null, rows: { total: 5, failed: 1 }, changes: { created: 2 } });
  t.regex((await errorsOf(t, done.id)).body, /,6,A gift card is not a product here/);
  const [book, shirt] = await productsOf(t);
  t.like(shirt, {
    slug: 'example-t-shirt',
    name: 'Example T-Shirt',
    description: 'Soft & warm.\nMade in\nLisbon',
    category: 'Shirts',
    tags: only('cotton', 'summer'),
    status: 'published',
  });
  t.deepEqual(
    shirt?.images.map(({ url, alt }) => [url.slice(24), alt]),
    [
      ['blue.jpg', 'A blue shirt'],
      ['back.jpg', null],
      ['side.jpg', null],
    ],
  );
  t.like(
    shirt?.variants,
    only(
      {
        sku: 'example-shirt-s',
        name: 'Small / Blue',
        options: { Size: 'Small', Color: 'Blue' },
        priceCents: 1999,
        compareAtCents: 2499,
        weightOz: 7.055,
        stock: 12,
        backorder: false,
        ships: true,
      },
      { sku: 'EXAMPLE-T-SHIRT-LARGE-BLUE', priceCents: 2100, compareAtCents: null, stock: 0, backorder: true },
    ),
  );
  t.like(book, { slug: 'e-book-uber', status: 'draft', description: '' });
  t.like(
    book?.variants,
    only({ sku: 'E-BOOK-UBER', name: 'E-Book', options: {}, priceCents: 500, stock: null, ships: false }),
  );
});

test('an import of a Shopify file leaves as it is what the file has no column for, and names its columns', async (t) => {
  const { ctx } = t.context;
  const stored = { slug: 'bowl', name: 'Bowl', description: 'Of oak', status: 'draft' } as const;
  await buildProduct(ctx, { ...stored, variants: [{ sku: 'B-1', price_cents: 100, backorder: true }] });
  const file = [
    'Handle,Title,Variant SKU,Option1 Value,Variant Price',
    'bowl,Oak bowl,B-1,,2.50',
    'priceless,Priceless,P-1,,',
    'two,Two,T-1,Small,1',
    ',,T-2,Large,',
    'wrong,Wrong,W-1,,free',
  ].join('\n');
  const done = await importFile(t, 'kind=products&format=shopify', file);
  t.like(done, { rows: { failed: 4 }, changes: { created: 0, updated: 1 } });
  const [bowl] = await productsOf(t);
  t.like(bowl, { ...stored, name: 'Oak bowl' });
  t.like(bowl?.variants[0], { sku: 'B-1', priceCents: 250, backorder: true });
  t.deepEqual((await errorsOf(t, done.id)).body.trim().split('\r\n').slice(1), [
    'priceless,Priceless,P-1,,,3,Variant Price is required.',
    'two,Two,T-1,Small,1,4,Variant Price is required (variant T-2).',
    ',,T-2,Large,,5,',
    'wrong,Wrong,W-1,,free,6,Variant Price must be a number such as 19.99.',
  ]);
});

test('an import of a Shopify file keeps products apart whose handles and options are in another script, or long', async (t) => {
  const header = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price';
  const long = 'bowl-'.repeat(22);
  const file = [
    header,
    '茶碗-1,Tea bowl,Title,Default Title,TB,1',
    '湯呑-1,Cup,Title,Default Title,CU,2',
    '茶碗,Chawan,Title,Default Title,CH,3',
    'cafe,Cafe,Title,Default Title,CF,4',
    'cafe-茶,Tea cafe,Title,Default Title,CT,5',
    `${long}one,One,Title,Default Title,L1,6`,
    `${long}two,Two,Title,Default Title,L2,7`,
    'qamis,Qamis,اللون,أحمر,,8',
    ',,,أزرق,,8',
  ].join('\n');
  t.like(await importFile(t, 'kind=products&format=shopify', file), { rows: { failed: 0 }, changes: { created: 8 } });
  t.like(await importFile(t, 'kind=products&format=shopify', file), { changes: { created: 0, unchanged: 8 } });
  const products = await productsOf(t);
  t.deepEqual(products.map(({ name, variants: [variant] }) => [name, variant?.priceCents]).toSorted(), [
    ['Cafe', 400],
    ['Chawan', 300],
    ['Cup', 200],
    ['One', 600],
    ['Qamis', 800],
    ['Tea bowl', 100],
    ['Tea cafe', 500],
    ['Two', 700],
  ]);
  t.true(products.some(({ slug }) => slug === 'cafe'));
  t.true(products.some(({ slug }) => /^cafe-[0-9a-f]{8}$/.test(slug)));
});

test('an import of a Shopify file rejects what a spreadsheet has written in another way', async (t) => {
  const header =
    'Handle,Title,Published,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Status';
  const file = [
    header,
    'a,A,TRUE,A,1.5,shopify,5,1.000,active',
    'b,B,TRUE,B,1.5,shopify,1.000,10.00,active',
    'c,C,TRUE,C,"1,5",shopify,5,10.00,active',
    'd,D,nein,D,1.5,shopify,5,10.00,active',
    'e,E,WAHR,E,28.349523125,shopify,5.0,10.0000,Active',
  ].join('\n');
  const done = await importFile(t, 'kind=products&format=shopify', file);
  t.like(done, { rows: { failed: 4 }, changes: { created: 1 } });
  t.deepEqual(
    (await problemsOf(t, done.id)).map(({ problem }) => problem),
    [
      'Variant Price must be a number such as 19.99.',
      'Variant Inventory Qty must be a whole number.',
      'Variant Grams must be a number.',
      'Published must be true or false.',
    ],
  );
  const [product] = await productsOf(t);
  t.like(product, { slug: 'e', status: 'published' });
  t.like(product?.variants[0], { priceCents: 1000, stock: 5, weightOz: 1 });
});

test('an import counts rows as a spreadsheet does, which shows those that are empty', async (t) => {
  const rowsOf = async (query: string, file: string): Promise<string[]> => {
    const { id } = await importFile(t, query, file);
    const lines: string[] = (await errorsOf(t, id)).body.trim().split('\r\n');
    return lines.slice(1).map((line) => line.split(',').slice(-2).join(' '));
  };
  const products = 'slug;name;sku;price_cents';
  t.deepEqual(
    await rowsOf(
      'kind=products&format=csv',
      `${products}\r\n\r\na;A;A;x\r\n;;;\r\n;;A-2;1\r\n\r\n\r\n${products}\r\nb;B;B;x`,
    ),
    [
      '3 price_cents must be a whole number (variant A).',
      '5 ',
      '8 The row repeats the header.',
      '9 price_cents must be a whole number.',
    ],
  );
  t.deepEqual(await rowsOf('kind=customers&format=jsonl', '\n{"email":"a@x.example"}\n\n\nno\n'), [
    '5 The line is not JSON.',
  ]);
  t.deepEqual(
    await rowsOf('kind=gift_cards&format=csv', 'code,balance_cents\n\nCARD-0001-BBBB,1\n\n,\nCARD-0002-BBBB,x\n'),
    ['6 balance_cents must be a whole number.'],
  );
  t.deepEqual(await rowsOf('kind=gift_cards&format=jsonl', '\n\n{"code":"SHORT","balance_cents":1}'), [
    '3 A code has at least 8 letters and digits.',
  ]);
  const orders =
    'order_number,created_at,name,quantity,unit_price_cents\n#1,2024-03-01T10:00:00Z,Bowl,1,1\n\n,,Cup,1,-1\n';
  t.deepEqual(await rowsOf('kind=orders&format=csv', orders), ['2 unit_price_cents must be at least 0 (row 4).', '4 ']);
  const quote = await importFile(t, 'kind=products&format=csv', 'slug,name\n\na,A\n\nb,B"b"\n');
  t.regex(quote.failure, /^Row 5: A cell that does not begin with a quote/);
});

test('an import names the SKU that is taken, and how many variants are too many', async (t) => {
  const many = Array.from({ length: 101 }, (_, index) => `many,Many,M-${index},1`);
  const rows = ['slug,name,sku,price_cents', 'a,A,A-1,1', 'b,B,B-1,1', ',,B-1,1', 'c,C,A-1,1', ...many];
  const done = await importFile(t, 'kind=products&format=csv', rows.join('\n'));
  t.deepEqual(
    (await problemsOf(t, done.id)).map(({ problem }) => problem).filter((problem) => problem !== ''),
    [
      'sku is that of another variant (variant B-1).',
      'sku belongs to another product.',
      'A product must have at most 100 variants, not 101.',
    ],
  );
});

test('an import says which column and variant is wrong, and reads lists with either separator', async (t) => {
  const { ctx, owner } = t.context;
  const problemsOf = async (query: string, file: string): Promise<string[]> => {
    const { id } = await importFile(t, query, file);
    return (await errorsOf(t, id)).body
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line: string) => line.split(',').at(-1));
  };
  const variants = 'slug,name,sku,price_cents,options\nbowl,Bowl,B-1,1,\n,,B-2,-1,\ncup,Cup,,1,Size\n';
  t.deepEqual(await problemsOf('kind=products&format=csv', variants), [
    'price_cents must be at least 0 (variant B-2).',
    '',
    'sku is required.',
  ]);
  const orders = [
    'order_number;created_at;name;quantity;unit_price_cents;item_discount_cents;shipping_country',
    '#1;2024-03-01T10:00:00Z;Bowl;1;3000;;here',
    ';;Cup;1;1500;-1;',
  ].join('\n');
  t.deepEqual(await problemsOf('kind=orders&format=csv', orders), [
    'shipping_country must be written like US. item_discount_cents must be at least 0 (row 3).',
    '',
  ]);
  const future = 'order_number,created_at,name,quantity,unit_price_cents\n#2,2099-01-01T00:00:00Z,Bowl,1,3000\n';
  t.deepEqual(await problemsOf('kind=orders&format=csv', future), ['created_at must not be in the future.']);
  const images = 'type,slug,title,tags,image_url\narticle,care,Care,"a;b, c",here\narticle,oil,Oil,"a;b, c",\n';
  t.deepEqual(await problemsOf('kind=content&format=csv', images), [
    'image_url must be a URL such as https://shop.example.com/.',
  ]);
  t.deepEqual((await owner.get('/content/article/oil')).body.entry.tags, ['a;b', 'c']);

  for (const slug of ['summer-shirt', 'arch']) await buildProduct(ctx, { slug });
  const codes = 'code,type,value,products\nTWO,percent,10,summer-shirt;arch\nNONE,percent,10,"arch,nope"\n';
  t.deepEqual(await problemsOf('kind=promo_codes&format=csv', codes), ['products names no product: nope.']);
  t.deepEqual((await owner.get('/promo-codes')).body.promo_codes[0].products, ['summer-shirt', 'arch']);
});

test('a table may name its separator, have its columns in capitals, and end in columns that are empty', async (t) => {
  const products = 'slug;name;sku;price_cents\noak-bowl;Oak bowl;BOWL;1\n';
  const cards = 'code;balance_cents\nCARD-0001-AAAA;500\n';
  for (const [kind, file] of [
    ['products', products],
    ['gift_cards', cards],
  ] as const)
    for (const change of [
      (text: string) => text.replaceAll('\n', ';\n'),
      (text: string) => text.replaceAll('\n', '; ;\r\n'),
      (text: string) => `sep=;\r\n${text}`,
      (text: string) => text.replace(/^.*/, (header) => header.toUpperCase()),
      (text: string) => `\ufeffsep=|\n${text.replaceAll(';', '|')}`,
      (text: string) => `SEP=\t\n${text.replaceAll(';', '\t').replaceAll('\n', '\t\n')}`,
    ]) {
      const { id, state, failure } = await importFile(t, `kind=${kind}&format=csv`, change(file));
      t.deepEqual([state, failure], ['completed', null], change(file));
      t.is((await errorsOf(t, id)).body.trim().split('\r\n').length, 1, change(file));
    }
  const [problem] = (
    await errorsOf(t, (await importFile(t, 'kind=products&format=csv', 'slug,name,sku,price_cents,\na,A,A,x,\n')).id)
  ).body
    .trim()
    .split('\r\n')
    .slice(1);
  t.regex(problem, /^a,A,A,x,2,/);
});

test('a file that cannot be imported is rejected as a whole, and changes nothing', async (t) => {
  const failureOf = async (file: string) => {
    const { state, failure } = await importFile(t, 'kind=products&format=csv', file);
    return state === 'failed' ? failure : state;
  };
  const header = 'slug,name,sku,price_cents';
  const row = 'oak-bowl,Oak bowl,BOWL,3800';
  t.is(await failureOf('name,sku\nOak,O-1'), 'The file lacks the columns "slug". Nothing was imported.');
  t.regex(
    await failureOf(`${header},prize\n${row},1`),
    /^The columns "prize" are unknown\. What can be imported is slug, name, .*\. Nothing was imported\.$/,
  );
  t.is(await failureOf(`${header},Slug\n${row},x`), 'The columns "slug" occur twice. Nothing was imported.');
  t.is(await failureOf(`${header}\n`), 'The file has no rows.');
  t.regex(await failureOf(`${header}\n${row}\ncup,"Cup`), /^Row 3: The file ends inside a quoted cell/);
  t.regex(await failureOf(`${header}\n${row}\ncup,C"up",C,1`), /^Row 3: A cell that does not begin with a quote/);
  t.regex(await failureOf(`${header}\n${row}\n${'x'.repeat(1_100_000)}`), /^Row 3: A row has more than 1048576 bytes/);
  t.regex(await failureOf('x'.repeat(1_100_000)), /^The file lacks the columns "slug"/);
  t.deepEqual(await productsOf(t), []);
});

test('POST /admin/imports rejects what is no text, empty, too large or compressed', async (t) => {
  const products = 'kind=products&format=csv';
  t.is(resultOf(await send(t, products, '')), '400 invalid_request');
  const zip = await send(t, products, Buffer.from('PK\x03\x04 and more'));
  t.is(zip.body.detail, 'This is a ZIP or Excel file. Save it as CSV in UTF-8, and send that.');
  t.is(resultOf(await send(t, products, Buffer.from('slug,\0'))), '400 invalid_request');
  t.is(resultOf(await send(t, products, bowls, { 'content-encoding': 'gzip' })), '415 unsupported_media_type');
  t.is(resultOf(await send(t, products, bowls, { 'content-type': 'application/pdf' })), '415 unsupported_media_type');
  t.is(await statusOfLength(t, fileBytesMax + 1), 413);
  t.is(resultOf(await send(t, 'kind=stock&format=shopify', bowls)), '400 invalid_request');
  t.is(resultOf(await send(t, 'kind=nothing&format=csv', bowls)), '400 invalid_request');
  const failures = (await t.context.owner.get('/imports')).body.imports.map(({ state, failure }: any) => [
    state,
    failure,
  ]);
  t.deepEqual(failures.at(-1), ['failed', 'The file is empty.']);
  t.is(failures.length, 3);
});

test.serial('an import can be canceled, and is seen by keys of its area only', async (t) => {
  const { api, ctx, owner, otherOwner, services } = t.context;
  const { body } = await send(t, 'kind=products&format=csv', bowls);
  const path = `/imports/${body.import.id}`;
  t.is(resultOf(await otherOwner.get(path)), '404 not_found');
  t.is((await owner.get(`${path}/errors`)).status, 200);
  t.is(resultOf(await otherOwner.get(`${path}/errors`)), '404 not_found');
  t.is(resultOf(await otherOwner.post(`${path}/cancel`)), '404 not_found');
  const key = await buildKey(ctx, ['admin.orders:write']);
  t.is(resultOf(await api.call('GET', `/api/v1/admin${path}`, { key })), '403 insufficient_scope');
  const reader = await buildKey(ctx, ['admin.catalog:read']);
  t.is((await api.call('GET', `/api/v1/admin${path}`, { key: reader })).status, 200);
  t.is(resultOf(await api.call('POST', `/api/v1/admin${path}/cancel`, { key: reader })), '403 insufficient_scope');

  t.is((await owner.post(`${path}/cancel`)).body.import.state, 'canceled');
  await runJobs(services);
  t.like((await owner.get(path)).body.import, { state: 'canceled', rows: { done: 0 } });
  t.deepEqual(await productsOf(t), []);
});

test.serial('a file is not imported for a member who was revoked or demoted while it arrived', async (t) => {
  const { api, ctx, owner } = t.context;
  await buildStaff(ctx);
  const sendWhile = async (kind: string, change: (id: string) => Promise<unknown>) => {
    const { staff, headers } = await buildStaffSession(ctx, { role: 'manager' });
    const sent = request(`${api.url}/api/v1/admin/imports?kind=${kind}&format=csv`, {
      method: 'POST',
      headers: { ...headers, origin: api.url, 'content-type': 'text/csv' },
    });
    sent.write(kind === 'customers' ? 'email\n' : 'code,type,value\n');
    const newest = () => owner.get('/imports?limit=1').then(({ body }) => body.imports[0]);
    await until(async () => (await newest())?.state === 'receiving');
    await change(staff.id);
    sent.end(kind === 'customers' ? 'ada@example.com\n' : 'ALL,percent,100\n');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    const { state, failure } = await newest();
    return [response.statusCode, state, failure];
  };
  const revoke = (id: string) => revokeStaff(ctx, { id }, roles.owner);
  const demote = (id: string) => changeStaff(ctx, { id, role: 'support' }, roles.owner);
  const failure = 'The sender of the file no longer has permission to import it. Nothing was imported.';
  t.deepEqual(await sendWhile('promo_codes', revoke), [401, 'failed', failure]);
  t.deepEqual(await sendWhile('promo_codes', demote), [403, 'failed', failure]);
  t.deepEqual(await sendWhile('customers', demote), [202, 'queued', null]);
});
