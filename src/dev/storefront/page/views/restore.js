import { ask } from '../lib/api.js';
import { addToCart, clearCart } from '../lib/cart.js';
import { go } from '../lib/router.js';

/** The link of a reminder: what was kept is put into a new cart, as far as it can still be bought. */
export async function restoreView(_, query) {
  const { saved_cart: saved } = await ask('GET', `/cart/restore?token=${encodeURIComponent(query.get('token') ?? '')}`);
  clearCart();
  for (const line of saved.items.filter(({ status }) => status === 'ok' || status === 'price_changed')) {
    const which = line.variant_id
      ? { variantId: line.variant_id }
      : { productId: await productIdOf(line.product_slug) };
    await addToCart({
      ...which,
      quantity: line.quantity,
      ...(line.unit_price_cents && { unitPriceCents: line.unit_price_cents }),
    });
  }
  // The cart is shown instead of what is answered here.
  await go('/cart?restored', { replace: true });
  return { title: '', node: [] };
}

async function productIdOf(slug) {
  const { product } = await ask('GET', `/products/${encodeURIComponent(slug)}`);
  return product.id;
}
