import type { CartRecord } from '#src/domain/cart/cart.ts';
import {
  addLine,
  type CartInput,
  createCart,
  type SavedCart,
  type SavedCartInput,
  saveCart,
} from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { deriveToken, tokenPurposes } from '#src/domain/tenants/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';

/** A cart that holds so many of each of these variants, bought once. */
export async function buildCart(
  ctx: Context,
  variantIds: readonly string[] = [],
  given: CartInput & { quantity?: number } = {},
): Promise<CartRecord> {
  const { quantity = 1, ...input } = given;
  let cart = await createCart(ctx, input);
  for (const variantId of variantIds) cart = await addLine(ctx, cart.id, { variantId, quantity });
  return cart;
}

/** A saved cart of one oak bowl for 3800 cents. */
export async function buildSavedCart(
  ctx: Context,
  given: Partial<SavedCartInput> = {},
): Promise<SavedCart & { email: string }> {
  const email = given.email ?? `${randomText(8)}@example.com`;
  const items = [{ product_slug: 'oak-bowl', name: 'Oak bowl', quantity: 1, unit_price_cents: 3800 }];
  return { ...(await saveCart(ctx, { items, ...given, email })), email };
}

/** The token by which an email restores a saved cart. */
export async function restoreTokenOf(ctx: Context, savedCartId: string): Promise<string> {
  return deriveToken(ctx, tokenPurposes.restoreCart, savedCartId);
}

/** The token by which an address is unsubscribed. */
export async function unsubscribeTokenOf(ctx: Context, email: string): Promise<string> {
  return deriveToken(ctx, tokenPurposes.unsubscribe, normaliseEmail(email));
}
