import type { Context } from '#src/domain/context.ts';
import { buildCart, buildSavedCart } from './cart.ts';
import { buildProduct } from './catalog.ts';
import { buildEntry } from './content.ts';
import { buildPaidOrder } from './orders.ts';
import { buildPartner } from './partners.ts';
import { buildGiftCard, buildPromo } from './promotions.ts';
import { buildReturn } from './returns.ts';

/** One of every object that a store has. Returns their ids, slugs, codes and emails. */
export async function buildStockedStore(ctx: Context): Promise<string[]> {
  const product = await buildProduct(ctx);
  const tea = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month', 'quarter'],
    variants: [{}, { sku: 'TEA-2' }],
  });
  const cart = await buildCart(ctx, [product.variant.id]);
  const saved = await buildSavedCart(ctx);
  const entry = await buildEntry(ctx);
  const order = await buildPaidOrder(ctx);
  const promo = await buildPromo(ctx);
  const card = await buildGiftCard(ctx);
  const partner = await buildPartner(ctx);
  const returned = await buildReturn(ctx);
  return [
    product.slug,
    product.id,
    product.variant.id,
    product.variant.sku,
    tea.slug,
    ...tea.variants.map(({ id }) => id),
    cart.id,
    ...cart.lines.map(({ id }) => id),
    saved.id,
    saved.email,
    entry.type,
    entry.slug,
    order.id,
    promo.code,
    card.code,
    partner.code,
    returned.id,
    card.id,
    ctx.tenant.id,
    ctx.tenant.slug,
  ];
}
