import { storefront } from '../lib/api.js';
import { addToCart, clearCart } from '../lib/cart.js';
import { go } from '../lib/router.js';

/** The link of a reminder: the saved lines that can still be bought are added to a new cart. */
export async function restoreView(_, query) {
  const { saved_cart: saved } = await storefront.restoreCart({ token: query.get('token') ?? '' });
  clearCart();
  for (const line of saved.items.filter(({ status }) => status === 'ok' || status === 'price_changed')) {
    const which = line.variant_id
      ? { variantId: line.variant_id }
      : { productId: await productIdOf(line.product_slug) };
    await addToCart({
      ...which,
      quantity: line.quantity,
      purchaseType: line.purchase_type,
      subscriptionInterval: line.subscription_interval,
      ...(line.unit_price_cents && { unitPriceCents: line.unit_price_cents }),
    });
  }
  // The cart is shown instead of this view.
  await go('/cart?restored', { replace: true });
  return { title: '', node: [] };
}

async function productIdOf(slug) {
  const { product } = await storefront.getProduct(slug);
  return product.id;
}
