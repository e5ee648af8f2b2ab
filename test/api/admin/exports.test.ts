import anyTest, { type TestFn } from 'ava';
import { pruneBulk } from '#jobs/retention.ts';
import { read, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import { exportKinds } from '#src/domain/bulk/index.ts';
import { captureLead, saveQuiz } from '#src/domain/leads/index.ts';
import { attributeOrder, calculateRetained } from '#src/domain/partners/index.ts';
import { holdGiftCard, redeemGiftCard, returnGiftCard, saveGiftCard } from '#src/domain/promotions/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { dieAt } from '#test/support/die-at.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildWaiting } from '#test/support/factories/leads.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { auditOf, type Owner, type OwnerContext, pagesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

type T = { context: OwnerContext };

async function completed(t: T, owner: Owner, id: string): Promise<any> {
  // A test that runs beside this one may run the jobs of both.
  return until(async () => {
    await runJobs(t.context.services);
    const { body } = await owner.get(`/exports/${id}`);
    return body.export.finished_at && body.export;
  });
}

/** The export of a kind, and its file. */
async function exportFile(t: T, request: object, owner = t.context.owner): Promise<{ view: any; text: string }> {
  const { status, body } = await owner.post('/exports', request);
  if (status !== 202) throw new Error(JSON.stringify(body));
  const view = await completed(t, owner, body.export.id);
  return { view, text: (await download(t, view.url)).body };
}

/** The link has the address that the service is known by. The body stays text, also where it is lines of JSON. */
async function download(t: T, url: string) {
  const { pathname, search } = new URL(url);
  const response = await fetch(t.context.api.url + pathname + search);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: response.ok ? text : JSON.parse(text) };
}

const rowsOf = (text: string) => text.trim().split('\r\n');

test('POST /admin/exports writes products and stock, which an import finds unchanged', async (t) => {
  const { ctx, owner, services } = t.context;
  await buildProduct(ctx, {
    slug: 'bowl',
    name: '=HYPERLINK("x")',
    description: 'Two\nlines;=1',
    tags: ['wood', 'kitchen'],
    images: [{ url: 'https://shop.example.com/a.jpg', alt: 'A bowl' }],
    variants: [
      { sku: 'S', name: 'Small', options: { Size: 'S' }, weight_oz: 1.5, stock: 3 },
      { sku: 'L', stock: null },
    ],
  });
  await buildProduct(ctx, { slug: 'draft', status: 'draft', variants: [{ sku: 'D', backorder: true, stock: 0 }] });
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`update variants set stock = -2 where tenant_id = ${ctx.tenant.id} and sku = 'D'`),
  );
  const { view, text } = await exportFile(t, { kind: 'products' });
  t.like(view, { state: 'completed', rows: 3, failure: null, format: 'csv' });
  t.is(view.file_bytes, Buffer.byteLength(`\ufeff${text}`), 'with the byte order mark, which is no text');
  t.true(text.includes(`bowl,"'=HYPERLINK(""x"")",`), 'no spreadsheet runs it as a formula');

  const lines = (await exportFile(t, { kind: 'products', format: 'jsonl' })).text;
  const stock = (await exportFile(t, { kind: 'stock' })).text;
  for (const [kind, format, file, unchanged] of [
    ['products', 'csv', `\ufeff${text}`, 2],
    ['products', 'jsonl', lines, 2],
    ['stock', 'csv', `\ufeff${stock}`, 3],
  ] as const) {
    const type = { 'content-type': 'text/csv' };
    const again = await owner.post(`/imports?kind=${kind}&format=${format}`, file, type);
    const done = await until(async () => {
      await runJobs(services);
      const { body } = await owner.get(`/imports/${again.body.import.id}`);
      return body.import.finished_at && body.import;
    });
    t.deepEqual(done.changes, { created: 0, updated: 0, unchanged }, `${kind} ${format}`);
    t.is(done.rows.failed, 0);
  }
});

test('of an export of stock that is edited while the store sells, only what was edited changes', async (t) => {
  const { ctx, owner, services } = t.context;
  const variants = ['SOLD', 'EDITED', 'BOTH', 'UNTRACKED'].map((sku) => ({ sku, options: { Sku: sku }, stock: 10 }));
  await buildProduct(ctx, { variants });
  await owner.put('/stock', { items: [{ sku: 'UNTRACKED', quantity: null }] });
  const { text } = await exportFile(t, { kind: 'stock' });
  const sold = ['SOLD', 'BOTH'].map((sku) => ({ sku, change: -3 }));
  t.is((await owner.put('/stock', { items: sold })).status, 200);
  const edited = text.replaceAll(/(EDITED|BOTH),10,/g, '$1,25,');
  for (const updated of [1, 0]) {
    const { body } = await owner.post('/imports?kind=stock&format=csv', edited, { 'content-type': 'text/csv' });
    const done = await until(async () => {
      await runJobs(services);
      const found = (await owner.get(`/imports/${body.import.id}`)).body.import;
      return found.finished_at && found;
    });
    t.like(done, { changes: { updated, unchanged: 3 - updated }, rows: { failed: 1 } });
    const errors = (await owner.get(`/imports/${body.import.id}/errors`)).body;
    t.regex(errors, /BOTH,25,10,.*The stock of BOTH has changed since it was read/);
    const stock = rowsOf((await exportFile(t, { kind: 'stock' })).text).map((row) => row.split(',').slice(1, 3).join());
    t.deepEqual(stock.slice(1).toSorted(), ['BOTH,7', 'EDITED,25', 'SOLD,7', 'UNTRACKED,']);
  }
});

test('an export of each kind in each format changes nothing when it is imported', async (t) => {
  const { ctx, owner, services } = t.context;
  const texts = ['=1', "'=1", "''=1", "'-1", "'ten'", '+1\n"2"; 3,4', 'عربي', '\u{1f600}'];
  const importFile = async (query: string, file: string) => {
    const { body } = await owner.post(`/imports?${query}`, file, { 'content-type': 'text/csv' });
    return until(async () => {
      await runJobs(services);
      const found = (await owner.get(`/imports/${body.import.id}`)).body.import;
      return found.finished_at && found;
    });
  };
  const linesOf = (values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n');
  for (const [index, text] of texts.entries())
    await buildProduct(ctx, { slug: `bowl-${index}`, name: text, variants: [{ sku: text.trim(), name: text }] });
  await importFile(
    'kind=customers&format=jsonl',
    linesOf(texts.map((name, index) => ({ email: `c${index}@example.com`, name }))),
  );
  const [item, email] = [{ quantity: 2, unit_price_cents: 500 }, 'c0@example.com'];
  const created_at = '2025-11-30T23:59:59.999Z';
  const orders = texts.map((name, index) => ({
    order_number: `OLD-${index}`,
    email,
    created_at,
    items: [{ ...item, name, sku: name }, ...(index === 0 ? [{ ...item, name: 'Gift', discount_cents: 100 }] : [])],
    ...(index % 2 === 0 && { shipping_address: { name, street1: name, city: 'Berlin', country: 'DE' } }),
  }));
  t.is((await importFile('kind=orders&format=jsonl', linesOf(orders))).rows.failed, 0);

  await importFile(
    'kind=partners&format=jsonl',
    linesOf(
      texts.map((text, index) => ({ code: `p${index}`, name: text.replace('\n', ' '), window: `${index + 23}h` })),
    ),
  );
  const terms = [
    { type: 'percent', value: 7.25, products: ['bowl-0', 'bowl-1'], usage_limit: 5, starts_at: created_at },
    { type: 'fixed', value_cents: 500, per_customer_limit: 1 },
  ];
  await importFile(
    'kind=promo_codes&format=jsonl',
    linesOf(texts.map((_, index) => ({ code: `CODE${index}`, ...(terms[index] ?? { type: 'free_shipping' }) }))),
  );

  for (const kind of ['products', 'stock', 'customers', 'orders', 'partners', 'promo_codes']) {
    for (const format of ['csv', 'jsonl']) {
      const { text } = await exportFile(t, { kind, format });
      const { changes, rows } = await importFile(`kind=${kind}&format=${format}`, text);
      t.like({ ...changes, failed: rows.failed }, { created: 0, updated: 0, failed: 0 }, `${kind} ${format}`);
      t.true(changes.unchanged >= texts.length, `${kind} ${format}`);
    }
  }
});

test('an export of orders that were made here is imported by another store with the same amounts', async (t) => {
  const { ctx, otherOwner, services } = t.context;
  const items = [{ unitPriceCents: 5000, quantity: 2 }, { unitPriceCents: 500 }];
  const { id } = await buildPaidOrder(ctx, { items });
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`
      update orders set discount_cents = 6300, shipping_cents = 599, total_cents = 10500 - 6300 + 599
      where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    await tx.execute(sql`
      update order_items set discount_cents = total_cents * 6 / 10, total_cents = total_cents * 4 / 10
      where tenant_id = ${ctx.tenant.id} and order_id = ${id}`);
  });
  for (const format of ['csv', 'jsonl'] as const) {
    const importFile = async (file: string) => {
      const type = { 'content-type': 'text/csv' };
      const { body } = await otherOwner.post(`/imports?kind=orders&format=${format}`, file, type);
      return until(async () => {
        await runJobs(services);
        const found = (await otherOwner.get(`/imports/${body.import.id}`)).body.import;
        return found.finished_at && found;
      });
    };
    const renumbered = (await exportFile(t, { kind: 'orders', format })).text.replaceAll('ORD-', `${format}-`);
    t.like(await importFile(renumbered), { rows: { failed: 0 }, changes: { created: 1 } }, format);
    const [order] = (await otherOwner.get('/orders')).body.orders;
    const { subtotal_cents: subtotal, discount_cents: discount, shipping_cents: shipping, total_cents: total } = order;
    t.deepEqual([subtotal - discount, shipping, total], [4200, 599, 4799], format);
    const sums = order.items.map(({ total_cents: cents }: any) => cents);
    t.deepEqual(sums, [4000, 200], format);
    for (const file of [renumbered, (await exportFile(t, { kind: 'orders', format }, otherOwner)).text])
      t.like(await importFile(file), { rows: { failed: 0 }, changes: { created: 0 } }, `${format}, again`);
  }
});

test('an export as Shopify writes it is read back to the same products by another store', async (t) => {
  const { owner, otherOwner, services } = t.context;
  const importFile = async (to: Owner, file: string) => {
    const { body } = await to.post('/imports?kind=products&format=shopify', file, { 'content-type': 'text/csv' });
    return until(async () => {
      await runJobs(services);
      const found = (await to.get(`/imports/${body.import.id}`)).body.import;
      return found.finished_at && found;
    });
  };
  const header =
    'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,' +
    'Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,' +
    'Variant Inventory Policy,Variant Fulfillment Service,Variant Price,Variant Compare At Price,' +
    'Variant Requires Shipping,Variant Taxable,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,Status';
  const theirs = [
    header,
    'shirt,"The ""Classic"" shirt","<p>Soft &amp; <b>warm</b>,',
    ' 5"" &lt; 6"".</p><ul><li>cotton</li></ul><p>Café</p>",Acme,Apparel,Shirts,"cotton, summer",TRUE,Size,Small,Color,Blue,S-B,200,shopify,12,deny,manual,19.99,24.99,TRUE,TRUE,https://cdn.example.com/a.jpg,1,"A ""blue"" one",FALSE,,active',
    'shirt,,,,,,,,,Large,,Blue,L-B,210.5,shopify,0,continue,manual,21,,TRUE,TRUE,https://cdn.example.com/b.jpg,2,,,,',
    'shirt,,,,,,,,,Large,,Red,L-R,,,,deny,manual,0.50,,FALSE,TRUE,,,,,,',
    'shirt,,,,,,,,,,,,,,,,,,,,,,https://cdn.example.com/c.jpg,3,,,,',
    'shirt,,,,,,,,,,,,,,,,,,,,,,https://cdn.example.com/d.jpg,4,"=1+1",,,',
    'mug,Mug,,Acme,,,,FALSE,Title,Default Title,,,MUG,340,shopify,3,deny,manual,12,,TRUE,TRUE,,,,FALSE,,draft',
  ].join('\n');
  t.like(await importFile(owner, theirs), { rows: { failed: 0 }, changes: { created: 2 } });
  const { view, text } = await exportFile(t, { kind: 'products', format: 'shopify' });
  t.like(view, { format: 'shopify', rows: 5 });
  t.true(text.includes('Soft &amp; warm, 5&quot; &lt; 6&quot;.<br>cotton<br>Café'), 'HTML is text, with its lines');

  t.like(await importFile(otherOwner, text), { rows: { failed: 0 }, changes: { created: 2 } });
  const lines = async (of: Owner) => (await exportFile(t, { kind: 'products', format: 'jsonl' }, of)).text;
  t.is(await lines(otherOwner), await lines(owner));
  t.is(resultOf(await owner.post('/exports', { kind: 'stock', format: 'shopify' })), '400 invalid_request');
});

// Before the others, because it moves their clock by a day, for which links are valid.
test.serial('the journal agrees with orders, refunds and gift cards to the cent, by day and currency', async (t) => {
  const { ctx } = t.context;
  const paymentId = 'pi_1';
  const items = [{ unitPriceCents: 1000 }, { unitPriceCents: 250, quantity: 2 }];
  const first = await buildPaidOrder(ctx, { items, paymentId });
  await buildPaidOrder(ctx, { currency: 'EUR', items: [{ unitPriceCents: 700 }], paymentId });
  await buildPaidOrder(ctx, { currency: 'EUR', items: [{ unitPriceCents: 1700 }] });
  await buildPaidOrder(ctx, { status: 'pending' });
  const unredeemed = await buildPaidOrder(ctx, { currency: 'CAD', items: [{ unitPriceCents: 900 }], paymentId });
  const { id: card, code } = await buildGiftCard(ctx, { balanceCents: 5000 });
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`
      update orders set discount_cents = 100, shipping_cents = 599, tax_cents = 88, gift_card_cents = 400,
        total_cents = 1500 - 100 + 599 + 88 - 400, refunded_cents = 300
      where tenant_id = ${ctx.tenant.id} and id = ${first.id}`);
    await tx.execute(sql`
      update orders set gift_card_cents = 300, total_cents = 600
      where tenant_id = ${ctx.tenant.id} and id = ${unredeemed.id}`);
    await tx.execute(sql`
      insert into payment_reversals (tenant_id, order_id, cause, snapshot_number, amount_cents, at)
      values (${ctx.tenant.id}, ${first.id}, 'refund', 1, 500, ${ctx.clock.now()}), (${ctx.tenant.id}, ${first.id}, 'refund', 2, -200, ${ctx.clock.now()})`);
  });
  const orderId = first.id;
  await transact(ctx, async (ctx) => {
    await holdGiftCard(ctx, { giftCardId: card, amountCents: 400 });
    await redeemGiftCard(ctx, { giftCardId: card, amountCents: 400, orderId });
  });
  for (const amountCents of [100, 50]) await transact(ctx, (ctx) => returnGiftCard(ctx, { orderId, amountCents }));
  const day = ctx.clock.now().toISOString().slice(0, 10);
  const { text } = await exportFile(t, { kind: 'journal_days' });
  t.deepEqual(rowsOf(text), [
    'day,account,currency,entries,amount_cents',
    `${day},adjustments,CAD,1,-300`,
    `${day},discounts,USD,1,-100`,
    `${day},gift_cards_issued,USD,1,5000`,
    `${day},gift_cards_redeemed,USD,1,-400`,
    `${day},gift_cards_returned,USD,2,150`,
    `${day},payments,CAD,1,600`,
    `${day},payments,EUR,1,700`,
    `${day},payments,USD,1,1687`,
    `${day},payments_elsewhere,EUR,1,1700`,
    `${day},refunds,USD,2,-300`,
    `${day},sales,CAD,1,900`,
    `${day},sales,EUR,2,2400`,
    `${day},sales,USD,1,1500`,
    `${day},shipping,USD,1,599`,
    `${day},tax,USD,1,88`,
  ]);
  const { text: entries } = await exportFile(t, { kind: 'journal', format: 'jsonl' });
  t.is(entries.trim().split('\n').length, 18);
  const tomorrow = new Date(ctx.clock.now().getTime() + hours(24)).toISOString();
  t.is((await exportFile(t, { kind: 'journal', from: tomorrow })).view.rows, 0);

  const { clock } = t.context;
  clock.pass(hours(24));
  await transact(ctx, (ctx) => returnGiftCard(ctx, { orderId }));
  await transact(ctx, (ctx) => saveGiftCard(ctx, { code, balance_cents: 4000 }, { setBalance: true }));
  const onCards = rowsOf((await exportFile(t, { kind: 'journal_days' })).text).filter((row) =>
    row.includes('gift_cards_'),
  );
  const nextDay = clock.now().toISOString().slice(0, 10);
  t.deepEqual(onCards, [
    `${day},gift_cards_issued,USD,1,5000`,
    `${day},gift_cards_redeemed,USD,1,-400`,
    `${day},gift_cards_returned,USD,2,150`,
    `${nextDay},gift_cards_issued,USD,1,-1000`,
    `${nextDay},gift_cards_returned,USD,1,250`,
  ]);
});

test('every kind is exported in each format, and orders with their items', async (t) => {
  const { ctx } = t.context;
  await buildProduct(ctx);
  const { orderNumber } = await buildPaidOrder(ctx, { items: [{}, { name: 'Cup' }] });
  const kinds = exportKinds.map(({ name }) => name).filter((name) => !name.startsWith('journal'));
  for (const kind of kinds) {
    for (const format of ['csv', 'jsonl']) t.is((await exportFile(t, { kind, format })).view.failure, null, kind);
  }
  const { text } = await exportFile(t, { kind: 'orders', format: 'jsonl' });
  const order = JSON.parse(text);
  t.like(order, { order_number: orderNumber, total_cents: 7600 });
  t.deepEqual(
    order.items.map(({ name }: any) => name),
    ['Oak bowl', 'Cup'],
  );
  t.is(rowsOf((await exportFile(t, { kind: 'orders' })).text).length, 3);
});

test('commissions are exported by the time of their orders, without what was refunded, also of a removed partner', async (t) => {
  const { ctx, owner } = t.context;
  const { code } = await buildPartner(ctx, { code: 'maker', name: '=Maker' });
  const { id, orderNumber } = await buildPaidOrder(ctx, { items: [{ unitPriceCents: 5000 }] });
  const from = ctx.clock.now().toISOString();
  await transact(ctx, async (ctx) => {
    await attributeOrder(ctx, { orderId: id, partnerCode: code, totalCents: 5000 });
    await ctx.tx.execute(sql`
      insert into payment_reversals (tenant_id, order_id, cause, snapshot_number, amount_cents, at)
      values (${ctx.tenant.id}, ${id}, 'refund', 1, 2500, ${ctx.clock.now()})`);
    await calculateRetained(ctx, id);
  });
  t.deepEqual(
    rowsOf((await exportFile(t, { kind: 'partners' })).text)[1]
      ?.split(',')
      .slice(0, 8),
    [...['maker', "'=Maker", '8', '0', '30d'], ...['1', '2500', '200']],
  );
  await owner.delete('/partners/maker');
  const rows = rowsOf((await exportFile(t, { kind: 'commissions', from })).text);
  t.deepEqual(
    rows.map((row) => row.split(',').toSpliced(3, 1).join()),
    [
      'partner_code,partner_name,order_number,currency,total_cents,commission_cents',
      `maker,'=Maker,${orderNumber},USD,2500,200`,
    ],
  );
  t.is((await exportFile(t, { kind: 'commissions', to: from })).view.rows, 0);
  t.is((await exportFile(t, { kind: 'partners', format: 'jsonl' })).view.rows, 0);
});

test('promo codes are exported without those that were removed', async (t) => {
  const { ctx, owner } = t.context;
  const [known, removed] = [await buildPromo(ctx), await buildPromo(ctx)];
  await owner.delete(`/promo-codes/${removed.code}`);
  const [, ...rows] = rowsOf((await exportFile(t, { kind: 'promo_codes' })).text);
  t.deepEqual(
    rows.map((row) => row.split(',')[0]),
    [known.code],
  );
});

test('leads are exported with their consent, and the waitlist with what each waits for', async (t) => {
  const { ctx } = t.context;
  const { slug, variant } = await buildProduct(ctx, { slug: 'bowl' });
  await captureLead(ctx, { email: 'ada@example.com', source: 'footer', name: '=1', consent: true });
  await saveQuiz(ctx, { email: 'ada@example.com', answers: { roast: 'dark' } });
  await buildWaiting(ctx, { productSlug: slug, variantId: variant.id, email: 'eva@example.com' });
  const leads = rowsOf((await exportFile(t, { kind: 'leads' })).text).map((row) => row.split(',').slice(1, 5).join());
  t.is(leads[0], 'email,source,name,consent');
  t.true(leads.includes("ada@example.com,footer,'=1,true"));
  const lines = (await exportFile(t, { kind: 'leads', format: 'jsonl' })).text.trim().split('\n');
  t.deepEqual(lines.map((line) => JSON.parse(line)).find(({ source }) => source === 'quiz').answers, { roast: 'dark' });
  const waiting = rowsOf((await exportFile(t, { kind: 'waitlist' })).text)[1]?.split(',');
  t.deepEqual(waiting?.slice(1, 5), ['eva@example.com', 'bowl', variant.id, variant.sku ?? '']);
});

test.serial(
  'an export whose process is killed before any statement has the same file as one that is not',
  async (t) => {
    const { ctx, owner, services } = t.context;
    for (const slug of ['one', 'two', 'three']) await buildProduct(ctx, { slug });
    const { text } = await exportFile(t, { kind: 'products' });
    const { body } = await owner.post('/exports', { kind: 'products' });
    const chunksOf = () =>
      read<{ state: string }>(
        ctx,
        sql`
      select o.state from bulk_chunks c join bulk_operations o on o.tenant_id = c.tenant_id and o.id = c.operation_id
      where c.tenant_id = ${ctx.tenant.id} and c.operation_id = ${body.export.id}`,
      );
    let step = 1;
    for (; await dieAt(services, step, () => runJobs(services)); step += 1) {
      await services.execute(sql`
      update outbox set starts = 0, relays = 0, next_relay_at = ${services.clock.now()} where finished_at is null`);
    }
    t.true(step > 20, `it was killed before ${step - 1} statements`);
    const view = await completed(t, owner, body.export.id);
    t.is((await download(t, view.url)).body, text);
    t.is((await chunksOf()).length, 1);
  },
);

test('an export has what changed right before it was requested, also where the same was exported a moment ago', async (t) => {
  const { ctx } = t.context;
  await buildProduct(ctx, { slug: 'one' });
  t.is((await exportFile(t, { kind: 'products' })).view.rows, 1);
  await buildProduct(ctx, { slug: 'two' });
  t.is((await exportFile(t, { kind: 'products' })).view.rows, 2);
});

test('POST /admin/exports rejects a range that ends before it begins', async (t) => {
  const { owner } = t.context;
  const [early, late] = ['2026-11-19T12:00:00Z', '2026-11-20T12:00:00Z'];
  t.like(await owner.post('/exports', { kind: 'journal', from: late, to: early }), {
    status: 400,
    body: { error: 'invalid_request', errors: only({ path: '/to', detail: 'must not be before from' }) },
  });
  for (const range of [{ from: early, to: late }, { from: early, to: early }, { from: late }, { to: early }])
    t.is((await owner.post('/exports', { kind: 'journal', ...range })).status, 202, JSON.stringify(range));
});

test.serial('the file of an export stays as long as its link lives, however long it took to write', async (t) => {
  const { ctx, services } = t.context;
  const { view, text } = await exportFile(t, { kind: 'products' });
  const age = (finishedMs: number) =>
    transact(ctx, async ({ tx, clock }) => {
      await tx.execute(sql`
        update bulk_operations set finished_at = ${fromNow(clock, -finishedMs)}
        where tenant_id = ${ctx.tenant.id} and id = ${view.id}`);
      await tx.execute(sql`
        update bulk_chunks set created_at = ${fromNow(clock, -finishedMs - minutes(5))}
        where tenant_id = ${ctx.tenant.id} and operation_id = ${view.id}`);
    });
  await age(hours(24) - minutes(1));
  await prune(services.context(), pruneBulk);
  t.like(await download(t, view.url), { status: 200, body: text });

  await age(hours(26));
  await prune(services.context(), pruneBulk);
  const chunks = sql`select 1 from bulk_chunks where tenant_id = ${ctx.tenant.id} and operation_id = ${view.id}`;
  t.deepEqual(await read(ctx, chunks), []);
});

test('the link of an export lives 24 hours, and only its own token opens it', async (t) => {
  const { ctx, api } = t.context;
  const { view } = await exportFile(t, { kind: 'stock' });
  const file = await download(t, view.url);
  t.is(file.status, 200);
  t.is(file.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(file.headers.get('content-disposition'), `attachment; filename="stock-${view.id}.csv"`);
  t.is(file.headers.get('cache-control'), 'no-store');
  const { view: other } = await exportFile(t, { kind: 'products' });
  const wrong = new URL(view.url);
  wrong.searchParams.set('token', new URL(other.url).searchParams.get('token') ?? '');
  t.is(resultOf(await download(t, wrong.href)), '400 invalid_or_expired_token');
  const elsewhere = new URL(view.url);
  elsewhere.searchParams.set('tenant', (await buildTenant(t.context.services)).slug);
  t.is(resultOf(await download(t, elsewhere.href)), '400 invalid_or_expired_token');
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    update bulk_operations set finished_at = finished_at - interval '25 hours' where tenant_id = ${ctx.tenant.id}`),
  );
  t.is(resultOf(await download(t, view.url)), '400 invalid_or_expired_token');
  t.is((await t.context.owner.get(`/exports/${view.id}`)).body.export.url, null);
  t.is((await api.call('GET', `/api/v1/exports/${view.id}?token=x`, { tenant: ctx.tenant.slug })).status, 400);
});

test.serial('a store has at most ten operations in progress, and files of at most 1 GB', async (t) => {
  const { ctx, owner, otherOwner, services } = t.context;
  const change = await owner.post('/bulk-changes', { kind: 'status', filter: {}, change: { status: 'draft' } });
  const kinds = ['products', 'stock', 'orders', 'returns', 'journal', 'journal_days', 'customers', 'gift_cards'];
  for (const kind of kinds) t.is((await owner.post('/exports', { kind })).status, 202);
  const upload = () =>
    owner.post('/imports?kind=stock&format=csv', 'sku,change\nX,1\n', { 'content-type': 'text/csv' });
  for (let count = 0; count < 2; count += 1) t.is((await upload()).status, 202);
  const beyond = await upload();
  t.is(resultOf(beyond), '429 rate_limited');
  t.regex(beyond.body.detail, /^10 imports, exports and bulk changes of this store are in progress/);
  t.is(resultOf(await owner.post(`/bulk-changes/${change.body.bulk_change.id}/run`)), '429 rate_limited');
  t.is((await otherOwner.post('/exports', { kind: 'stock' })).status, 202);
  await runJobs(services);
  const { body } = await owner.post('/exports', { kind: 'analytics' });
  await completed(t, owner, body.export.id);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    update bulk_operations set file_bytes = 1000000000 where tenant_id = ${ctx.tenant.id} and id = ${body.export.id}`),
  );
  t.regex((await upload()).body.detail, /^The files of this store take 1 GB/);
});

test.serial(
  'an export requires the scope that reads its kind, is listed and audited, and can be canceled',
  async (t) => {
    const { api, ctx, owner, otherOwner, services } = t.context;
    const key = await buildKey(ctx, ['admin.catalog:read']);
    const request = (kind: string) => api.call('POST', '/api/v1/admin/exports', { key, body: { kind } });
    t.is(resultOf(await request('orders')), '403 insufficient_scope');
    const { body } = await request('stock');
    t.is((await owner.post('/exports', { kind: 'orders' })).status, 202);
    t.is((await api.call('GET', '/api/v1/admin/exports', { key })).body.exports.length, 1);
    t.is((await pagesOf(owner, '/exports', 'exports')).flat().length, 2);
    t.is(resultOf(await otherOwner.get(`/exports/${body.export.id}`)), '404 not_found');
    t.is(resultOf(await otherOwner.post(`/exports/${body.export.id}/cancel`)), '404 not_found');
    const canceled = await api.call('POST', `/api/v1/admin/exports/${body.export.id}/cancel`, { key });
    t.is(canceled.body.export.state, 'canceled');
    await runJobs(services);
    t.is((await owner.get(`/exports/${body.export.id}`)).body.export.url, null);
    t.deepEqual(
      (await auditOf(ctx)).map(({ action, after }) => [action, after?.kind]),
      [
        ['export.requested', 'stock'],
        ['export.requested', 'orders'],
        ['export.canceled', undefined],
      ],
    );
  },
);
