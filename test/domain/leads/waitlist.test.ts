import anyTest, { type TestFn } from 'ava';
import { notifyPublished as notifyPublishedJob, notifyRestock as notifyRestockJob } from '#jobs/leads.ts';
import { transact } from '#src/database/transact.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import {
  captureStock,
  holdStock,
  releaseStock,
  removeProduct,
  restock,
  saveProduct,
  saveProducts,
  takeStock,
} from '#src/domain/catalog/index.ts';
import type { Context, InTransaction } from '#src/domain/context.ts';
import { listWaitlist, notifyRestock } from '#src/domain/leads/index.ts';
import type { OutgoingMail } from '#src/domain/ports/mailer.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { type BuiltProduct, type BuiltVariant, buildProduct } from '#test/support/factories/catalog.ts';
import { buildWaiting, restockMailsOf } from '#test/support/factories/leads.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const sent: OutgoingMail[] = [];

const test = anyTest as TestFn<TestContext>;
useContext(test, {
  ports: {
    mailer: {
      async send(mail) {
        sent.push(mail);
        return { outcome: 'accepted' };
      },
    },
  },
});

test.serial('a restock emails the waitlist once, with a link to the product', async (t) => {
  const { ctx, services, tenant } = t.context;
  const { slug, variant } = await buildProduct(ctx, { name: 'Oak bowl', variants: [{ stock: 0 }] });
  const { email } = await buildWaiting(ctx, { productSlug: slug });
  for (const quantity of [2, 0, 5])
    await transact(ctx, (ctx) => changeStock(ctx, [{ variantId: variant.id, quantity }]));

  const outcomes = await runJobs(services);
  t.deepEqual(
    outcomes.filter((outcome) => outcome.startsWith('leads.')),
    Array<string>(2).fill('leads.notify-restock: done'),
  );
  t.deepEqual(
    sent.map(({ to, subject }) => [to, subject]),
    [[email, 'Oak bowl is back in stock']],
  );
  t.true(sent[0]?.text.includes(`${tenant.storefrontUrl}/products/${slug}`));
  t.deepEqual(
    (await runJobs(services)).filter((outcome) => outcome.startsWith('leads.')),
    [],
  );
});

const setStock = (ctx: Context, variantId: string, quantity: number | null) =>
  transact(ctx, (ctx) => changeStock(ctx, [{ variantId, quantity }]));

/** Run the job of every restock so far, this many times concurrently. */
async function workRestocks(ctx: Context, times = 1): Promise<void> {
  const occasions = await enqueuedJobs(ctx, notifyRestockJob);
  const runs = Array.from({ length: times }, () => occasions.map((occasion) => notifyRestock(ctx, occasion)));
  await Promise.all(runs.flat());
}

const recipients = async (ctx: Context) => (await restockMailsOf(ctx)).map(({ recipient }) => recipient);

test('a shopper on the waitlist of a variant is notified once, however often the job runs', async (t) => {
  const { ctx } = t.context;
  const { slug, variants } = await buildProduct(ctx, {
    images: [{ url: 'https://cdn.example/oak.jpg' }],
    variants: [
      { name: 'Small', stock: 0 },
      { name: 'Large', stock: 0 },
    ],
  });
  for (const name of ['Lamp', 'Vase']) await buildProduct(ctx, { name });
  const [small, large] = variants.map(({ id }) => id);
  const ada = await buildWaiting(ctx, { variantId: small ?? '', email: 'Ada@Example.com' });
  await buildWaiting(ctx, { variantId: large ?? '' });

  await setStock(ctx, small ?? '', 5);
  t.deepEqual(await recipients(ctx), []);
  await workRestocks(ctx);
  await workRestocks(ctx);
  t.deepEqual(await restockMailsOf(ctx), [
    {
      recipient: ada.email.toLowerCase(),
      data: {
        product_name: 'Oak bowl',
        variant_name: 'Small',
        path: `/products/${slug}`,
        image_url: 'https://cdn.example/oak.jpg',
      },
    },
  ]);
});

test('two concurrent restocks notify each shopper once', async (t) => {
  const { ctx } = t.context;
  const { slug, variants } = await buildProduct(ctx, { variants: [{ stock: 0 }, { stock: 0 }] });
  const people = await Promise.all(Array.from({ length: 12 }, () => buildWaiting(ctx, { productSlug: slug })));
  await Promise.all(variants.map(({ id }) => setStock(ctx, id, 3)));
  t.is((await enqueuedJobs(ctx, notifyRestockJob)).length, 2);

  await workRestocks(ctx, 3);
  t.deepEqual(await recipients(ctx), people.map(({ email }) => email).toSorted());
});

test('a shopper on the waitlists of a product and of its variant gets one email', async (t) => {
  const { ctx } = t.context;
  await buildProduct(ctx, { name: 'Vase', variants: [{}, {}] });
  const { slug, variant } = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  const { email } = await buildWaiting(ctx, { productSlug: slug });
  await buildWaiting(ctx, { variantId: variant.id, email });
  await buildWaiting(ctx, { productSlug: slug, variantId: variant.id, email });
  await setStock(ctx, variant.id, 1);
  await workRestocks(ctx);
  t.like(await restockMailsOf(ctx), { length: 1, 0: { recipient: email, data: { variant_name: null } } });
});

test('a notified shopper who joins the waitlist again is notified again', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  const first = await buildWaiting(ctx, { variantId: variant.id });
  await setStock(ctx, variant.id, 1);
  await workRestocks(ctx);
  const second = await buildWaiting(ctx, { variantId: variant.id, email: first.email });
  t.is(second.leadId, first.leadId);

  await setStock(ctx, variant.id, 0);
  await setStock(ctx, variant.id, 1);
  await workRestocks(ctx);
  t.deepEqual(await recipients(ctx), [first.email, first.email]);
});

test('a variant that is sold out again before the job runs sends no email, and the waitlist stays', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  await buildWaiting(ctx, { variantId: variant.id });
  await setStock(ctx, variant.id, 1);
  await transact(ctx, (ctx) => takeStock(ctx, [{ variantId: variant.id, quantity: 1 }]));
  await workRestocks(ctx);
  t.deepEqual(await recipients(ctx), []);

  await setStock(ctx, variant.id, 1);
  await workRestocks(ctx);
  t.is((await recipients(ctx)).length, 1);
});

const inputOf = ({ sku, priceCents }: BuiltVariant) => ({ sku, price_cents: priceCents });

test.serial('a product that was restocked as a draft emails its waitlist when it is published again', async (t) => {
  const { ctx, services } = t.context;
  const { slug, name, variant } = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  const { email } = await buildWaiting(ctx, { productSlug: slug });
  const save = (status: 'draft' | 'published') =>
    transact(ctx, (ctx) => saveProduct(ctx, { slug, name, status, variants: [inputOf(variant)] }));
  await save('draft');
  await setStock(ctx, variant.id, 5);
  await runJobs(services);
  t.deepEqual(await recipients(ctx), []);

  for (const status of ['published', 'draft', 'published'] as const) await save(status);
  await runJobs(services);
  t.deepEqual(await recipients(ctx), [email]);
});

test.serial(
  'products that are published at once enqueue one job, and a restock only of what a shopper waits for',
  async (t) => {
    const { ctx, services } = t.context;
    const products = await Promise.all(
      [1, 2, 3].map(() => buildProduct(ctx, { variants: [{ stock: 1 }, { stock: 1 }] })),
    );
    const [awaited] = products;
    await buildWaiting(ctx, { variantId: awaited?.variant.id ?? '' });
    for (const status of ['draft', 'published'] as const) {
      const inputs = products.map(({ slug, name, variants }) => ({
        slug,
        name,
        status,
        variants: variants.map(inputOf),
      }));
      await transact(ctx, (ctx) => saveProducts(ctx, inputs, {}));
    }
    t.is((await enqueuedJobs(ctx, notifyPublishedJob)).length, 1);
    await runJobs(services);
    t.deepEqual(
      (await enqueuedJobs(ctx, notifyRestockJob)).map(({ variantId }) => variantId),
      [awaited?.variant.id],
    );
  },
);

const takenOffSale: Record<string, (ctx: InTransaction, product: BuiltProduct) => Promise<unknown>> = {
  'a product that was removed': (ctx, { slug }) => removeProduct(ctx, slug),
  'a product that became a draft': (ctx, { slug, name, variants }) =>
    saveProduct(ctx, { slug, name, status: 'draft', variants: variants.map(inputOf) }),
  'a variant that was removed': (ctx, { slug, name, variants }) =>
    saveProduct(ctx, { slug, name, variants: variants.slice(1).map(inputOf) }, { prune: true }),
};
for (const [what, takeOffSale] of Object.entries(takenOffSale)) {
  test(`the restock of ${what} meanwhile sends no email`, async (t) => {
    const { ctx } = t.context;
    const product = await buildProduct(ctx, { variants: [{ stock: 0 }, { stock: 0 }] });
    await buildWaiting(ctx, { variantId: product.variant.id });
    await setStock(ctx, product.variant.id, 1);
    await transact(ctx, (ctx) => takeOffSale(ctx, product));
    await workRestocks(ctx);
    t.deepEqual(await recipients(ctx), []);
  });
}

for (const [what, takeOffSale] of Object.entries(takenOffSale)) {
  test.serial(`${what} and restocked meanwhile emails its waitlist when it is on sale again`, async (t) => {
    const { ctx, services } = t.context;
    const product = await buildProduct(ctx, { variants: [{ stock: 0 }, { stock: 0 }] });
    const { email } = await buildWaiting(ctx, { variantId: product.variant.id });
    await transact(ctx, (ctx) => takeOffSale(ctx, product));
    await transact(ctx, (ctx) => restock(ctx, [{ variantId: product.variant.id, quantity: 1 }]));
    await runJobs(services);
    t.deepEqual(await recipients(ctx), [], 'it is not on sale');

    const { slug, name } = product;
    const variants = product.variants.map((variant, index) => ({ ...inputOf(variant), stock: index === 0 ? 1 : 0 }));
    for (const _ of [1, 2]) await transact(ctx, (ctx) => saveProduct(ctx, { slug, name, variants }));
    await runJobs(services);
    t.deepEqual(await recipients(ctx), [email]);
  });
}

test('a long waitlist is notified in batches, each shopper once', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  const people = await Promise.all(Array.from({ length: 130 }, () => buildWaiting(ctx, { variantId: variant.id })));
  await setStock(ctx, variant.id, 1);
  await workRestocks(ctx);
  t.is((await recipients(ctx)).length, 100);
  t.deepEqual(
    (await enqueuedJobs(ctx, notifyRestockJob)).map(({ number }) => number),
    [1, 2],
  );
  await workRestocks(ctx);
  t.deepEqual(await recipients(ctx), people.map(({ email }) => email).toSorted());
});

test('listWaitlist lists each entry with its own product and variant, the newest first', async (t) => {
  const { ctx } = t.context;
  const [bowl, vase] = [
    await buildProduct(ctx, { variants: [{}, {}] }),
    await buildProduct(ctx, { name: 'Vase', variants: [{}, {}] }),
  ];
  const [, large] = bowl.variants;
  const ofVariant = await buildWaiting(ctx, { variantId: large?.id ?? '' });
  const ofProduct = await buildWaiting(ctx, { productSlug: vase.slug });
  t.deepEqual(
    (await listWaitlist(ctx, {})).rows.map(({ email, productSlug, productName, sku, notifiedAt }) => [
      email,
      productSlug,
      productName,
      sku,
      notifiedAt,
    ]),
    [
      [ofProduct.email, vase.slug, 'Vase', null, null],
      [ofVariant.email, bowl.slug, 'Oak bowl', large?.sku, null],
    ],
  );
});

test('only stock that rises from zero enqueues a notification', async (t) => {
  const { ctx } = t.context;
  const occasionsOf = async (
    stock: number | null,
    ...moves: ((ctx: InTransaction, variantId: string) => Promise<unknown>)[]
  ) => {
    const { variant } = await buildProduct(ctx, { variants: [{ stock }] });
    for (const move of moves) await transact(ctx, (ctx) => move(ctx, variant.id));
    return (await enqueuedJobs(ctx, notifyRestockJob)).filter(({ variantId }) => variantId === variant.id).length;
  };
  const line = (variantId: string, quantity = 1) => [{ variantId, quantity }];
  const set = (quantity: number | null) => (ctx: InTransaction, variantId: string) =>
    changeStock(ctx, [{ variantId, quantity }]);

  t.is(await occasionsOf(0, set(4)), 1);
  t.is(await occasionsOf(0, set(null)), 1);
  t.is(await occasionsOf(0, (ctx, id) => changeStock(ctx, [{ variantId: id, change: 2 }])), 1);
  t.is(await occasionsOf(0, (ctx, id) => restock(ctx, line(id))), 1);
  t.is(
    await occasionsOf(
      1,
      (ctx, id) => holdStock(ctx, line(id)),
      (ctx, id) => releaseStock(ctx, line(id)),
    ),
    1,
  );
  t.is(await occasionsOf(1, (ctx, id) => holdStock(ctx, line(id)), set(2)), 1);

  t.is(await occasionsOf(0), 0);
  t.is(await occasionsOf(4), 0);
  t.is(await occasionsOf(null, set(4)), 0);
  t.is(await occasionsOf(1, set(4)), 0);
  t.is(await occasionsOf(4, set(0)), 0);
  t.is(
    await occasionsOf(
      2,
      (ctx, id) => holdStock(ctx, line(id)),
      (ctx, id) => releaseStock(ctx, line(id)),
    ),
    0,
  );
  t.is(
    await occasionsOf(
      1,
      (ctx, id) => holdStock(ctx, line(id)),
      (ctx, id) => captureStock(ctx, line(id)),
    ),
    0,
  );
  t.is(await occasionsOf(2, (ctx, id) => holdStock(ctx, line(id, 2)), set(1)), 0);
});

test('a restock at one store sends no email at another', async (t) => {
  const { ctx, services } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  await buildWaiting(ctx, { variantId: variant.id });
  await notifyRestock(other, { variantId: variant.id, movementId: 'mov_other', number: 1 });
  await setStock(ctx, variant.id, 1);
  await notifyRestock(other, { variantId: variant.id, movementId: 'mov_other', number: 1 });
  t.deepEqual(await recipients(ctx), []);
});

test.serial('the waitlist of a closed store keeps waiting', async (t) => {
  const { ctx } = t.context;
  const { slug, variant } = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  const { email } = await buildWaiting(ctx, { productSlug: slug });
  await transact(ctx, (ctx) => changeStock(ctx, [{ variantId: variant.id, quantity: 2 }]));
  const [payload] = await enqueuedJobs(ctx, notifyRestockJob);
  t.truthy(payload);
  if (!payload) return;
  await notifyRestock({ ...ctx, tenant: { ...ctx.tenant, closedAt: ctx.clock.now() } }, payload);
  t.deepEqual(await restockMailsOf(ctx), []);
  await notifyRestock(ctx, payload);
  t.deepEqual(
    (await restockMailsOf(ctx)).map(({ recipient }) => recipient),
    [email],
  );
});
