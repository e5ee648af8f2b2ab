import anyTest, { type TestFn } from 'ava';
import { readOne, transact } from '#src/database/transact.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { removePartner } from '#src/domain/partners/index.ts';
import { sql } from '#src/lib/sql.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { attributionOf, buildPartner } from '#test/support/factories/partners.ts';
import { orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

interface Reduced {
  id: string;
  discount: number;
  card: number;
  promo: string | null;
  total: number;
  items: number[];
}

/** The order of a checkout: what it costs, and what each item is reduced by. */
async function checkOut(ctx: Context, input: CheckoutInput): Promise<Reduced> {
  const { order_id: id } = await createCheckoutSession(ctx, input);
  const order = await readOne<Reduced>(
    ctx,
    sql`
    select o.id, o.discount_cents as discount, o.gift_card_cents as card, o.promo_code as promo, o.total_cents as total,
      (select json_agg(i.discount_cents order by i.position) from order_items i
        where i.tenant_id = o.tenant_id and i.order_id = o.id) as items
    from orders o where o.tenant_id = ${ctx.tenant.id} and o.id = ${id}`,
  );
  if (!order) throw new Error('There is no order.');
  return order;
}

async function pay({ ctx, services, stripe }: StripeContext, orderId: string): Promise<void> {
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
  await runJobs(services);
}

/** The names of the discounts at the provider. */
const couponNames = async ({ account, stripe }: StripeContext) =>
  (await stripe.account(account.secretKey)).coupons.map(({ name }) => name);

test.serial(
  'a checkout with a partner code is paid with the discount, and its commission is of the rest',
  async (t) => {
    const { ctx } = t.context;
    await buildShippingAccount(ctx);
    const [bowl, cup] = await Promise.all([
      buildProduct(ctx),
      buildProduct(ctx, { variants: [{ price_cents: 1010 }, {}] }),
    ]);
    const { id: partnerId, code } = await buildPartner(ctx, { discount_percent: 5 });
    const { id, ...order } = await checkOut(ctx, {
      items: [
        { product_slug: bowl.slug, quantity: 1 },
        { product_slug: cup.slug, variant_id: cup.variant.id, quantity: 1 },
      ],
      partner_code: ` ${code.toUpperCase()}`,
    });
    t.deepEqual(order, { discount: 241, card: 0, promo: null, total: 4569, items: [190, 51] });
    t.deepEqual(await couponNames(t.context), ['The Maker Blog']);

    await pay(t.context, id);
    t.like(await orderOf(ctx, id), { status: 'paid', attentionCode: null, totalCents: 4569 + 599 });
    t.like(await attributionOf(ctx, id), { partnerId, commissionCents: 366 });
  },
);

test.serial('the discount of a partner is rounded to whole units of a currency without smaller ones', async (t) => {
  const { ctx } = t.context;
  for (const [currency, price, discount] of [
    ['JPY', 1010, 51],
    ['ISK', 101_000, 5100],
  ] as const) {
    const product = await buildProduct(ctx, { variants: [{ price_cents: price }] });
    const { code } = await buildPartner(ctx, { discount_percent: 5 });
    const items = [{ product_slug: product.slug, quantity: 1 }];
    const own = { ...ctx, tenant: { ...ctx.tenant, currency } };
    const order = await checkOut(own, { items, partner_code: code });
    t.like(order, { discount, total: price - discount, items: [discount] }, currency);
  }
});

test.serial('a gift card pays what the discount of the partner leaves', async (t) => {
  const { ctx } = t.context;
  const product = await buildProduct(ctx, { variants: [{ ships: false }] });
  const { code } = await buildPartner(ctx, { discount_percent: 10 });
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const { id, ...order } = await checkOut(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
    partner_code: code,
    gift_card_code: card.code,
  });
  t.deepEqual(order, { discount: 380, card: 1000, promo: null, total: 2420, items: [380] });
  t.deepEqual(await couponNames(t.context), ['The Maker Blog + Gift card']);
  await pay(t.context, id);
  t.like(await orderOf(ctx, id), { status: 'paid', attentionCode: null, totalCents: 2420 });
});

test.serial('a promo code replaces the discount of the partner, who is credited all the same', async (t) => {
  const { ctx } = t.context;
  const product = await buildProduct(ctx);
  const partner = await buildPartner(ctx, { discount_percent: 50 });
  const promo = await buildPromo(ctx);
  const { id, ...order } = await checkOut(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
    partner_code: partner.code,
    promo_code: promo.code,
  });
  t.deepEqual(order, { discount: 380, card: 0, promo: promo.code, total: 3420, items: [380] });
  t.deepEqual(await couponNames(t.context), [promo.code]);
  await pay(t.context, id);
  t.like(await attributionOf(ctx, id), { partnerId: partner.id });
});

test.serial('an unknown partner, a removed one and one without a discount give none', async (t) => {
  const { ctx, services } = t.context;
  const product = await buildProduct(ctx);
  const items = [{ product_slug: product.slug, quantity: 1 }];
  const [removed, plain] = [await buildPartner(ctx, { discount_percent: 5 }), await buildPartner(ctx)];
  await transact(ctx, (ctx) => removePartner(ctx, removed.code));
  for (const code of ['no-such-maker', removed.code, plain.code]) {
    t.like(await checkOut(ctx, { items, partner_code: code }), { discount: 0, total: 3800, items: [0] }, code);
  }
  t.deepEqual(await couponNames(t.context), []);
  const { statements } = await countStatements(services, () => checkOut(ctx, { items }));
  t.false(statements.some((text) => text.includes('from partners')));
});

test.serial('the discount of a partner reduces the first payment of a subscription', async (t) => {
  const { ctx, services, stripe } = t.context;
  const beans = await buildProduct(ctx, {
    purchase_types: ['subscription'],
    subscription_intervals: ['month'],
    variants: [{ ships: false }],
  });
  const { code } = await buildPartner(ctx, { discount_percent: 10 });
  const { id } = await checkOut(ctx, {
    items: [
      {
        product_slug: beans.slug,
        variant_id: beans.variant.id,
        quantity: 1,
        purchase_type: 'subscription',
        subscription_interval: 'month',
      },
    ],
    customer_email: 'ada@example.com',
    partner_code: code,
  });
  await pay(t.context, id);
  await stripe.renew((await subscriptionsOf(ctx))[0]?.paymentSubscriptionId ?? '', 'paid');
  t.true(await stripe.idle());
  await runJobs(services);
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status, totalCents, attentionCode }) => ({ status, totalCents, attentionCode })),
    [3060, 3400].map((totalCents) => ({ status: 'paid' as const, totalCents, attentionCode: null })),
  );
});
