import anyTest, { type TestFn } from 'ava';

import { read, transact } from '#src/database/transact.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { hours } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaymentAccount, ordersOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test, { ports: { payments: fakePaymentGateway() }, environment: { DATABASE_POOL_MAX: '10' } });

const shoppers = 100;

test.serial('a checkout does not wait for the share of connections that other reads of its store hold', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const { slug } = await buildProduct(ctx, { variants: [{ stock: 10 }] });
  const promo = await buildPromo(ctx, {});
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const key = 20_261_122;
  const { slow } = await transact(ctx, async ({ tx, ...outside }) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${key})`);
    const slow = Array.from({ length: 20 }, () =>
      read(outside, sql`select pg_advisory_xact_lock_shared(${key})::text`),
    );
    const items = [{ product_slug: slug, quantity: 1 }];
    const codes = { promo_code: promo.code, gift_card_code: card.code };
    const made = await createCheckoutSession(outside, { items, ...codes });
    t.is(made.order.status, 'pending');
    return { slow: Promise.allSettled(slow) };
  });
  t.true((await slow).some(({ status }) => status === 'fulfilled'));
});

test.serial('concurrent checkouts never hold more than there is, and unpaid holds are released', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const scarce = await buildProduct(ctx, { variants: [{ stock: 10, ships: false }] });
  const plenty = await buildProduct(ctx, { variants: [{ stock: 1000, ships: false }] });
  const promo = await buildPromo(ctx, { usage_limit: 5 });
  const card = await buildGiftCard(ctx, { balanceCents: 10_000 });
  const wishes = [
    {
      items: [
        { product_slug: scarce.slug, quantity: 1 },
        { product_slug: plenty.slug, quantity: 2 },
      ],
    },
    { items: [{ product_slug: plenty.slug, quantity: 1 }], promo_code: promo.code },
    { items: [{ product_slug: plenty.slug, quantity: 1 }], gift_card_code: card.code },
    {
      items: [
        { product_slug: plenty.slug, quantity: 1 },
        { product_slug: scarce.slug, quantity: 1 },
      ],
      promo_code: promo.code,
      gift_card_code: card.code,
    },
  ];

  const results = await Promise.allSettled(
    Array.from({ length: shoppers }, (_, index) =>
      createCheckoutSession(ctx, {
        ...(wishes[index % wishes.length] ?? { items: [] }),
        customer_email: `shopper-${index}@example.com`,
      }),
    ),
  );
  const rejections = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.deepEqual(
    rejections.filter((error) => !(error instanceof DomainError)),
    [],
  );
  t.deepEqual([...new Set(rejections.map(({ code }) => code))].toSorted(), [
    'gift_card_not_applicable',
    'insufficient_stock',
    'promo_not_applicable',
  ]);

  const made = (await ordersOf(ctx)).length;
  t.is(made, shoppers - rejections.length);
  t.is((await stockOf(ctx, scarce.variant.id)).held, 10);
  t.is((await usesOf(ctx, promo.id)).held, 5);
  // Two full payments; a checkout that is priced after both were stored may hold the rest.
  t.true([3800 * 2, 10_000].includes((await balanceOf(ctx, card.id))?.held ?? 0));

  clock.pass(hours(2));
  await runJobs(services, { rounds: 60 });
  t.true((await ordersOf(ctx)).every(({ status }) => status === 'expired'));
  t.like(await stockOf(ctx, scarce.variant.id), { stock: 10, held: 0 });
  t.like(await stockOf(ctx, plenty.variant.id), { stock: 1000, held: 0 });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 0 });
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 10_000, held: 0 });
});
