import type { Context } from '../context.ts';
import type { CartRecord } from './cart.ts';
import type { CartLineInput } from './cart-input.ts';
import { placeLine } from './place-line.ts';

/**
 * Put something into a cart, and answer the cart.
 * @throws DomainError as `placeLine`
 */
export async function addLine(ctx: Context, cartId: string, input: CartLineInput): Promise<CartRecord> {
  const purchaseType = input.purchaseType ?? 'one_time';
  const isSubscription = purchaseType === 'subscription';
  return placeLine(ctx, cartId, {
    variantId: input.variantId,
    variantNamed: isSubscription || Boolean(input.variantId),
    productId: input.productId,
    quantity: input.quantity ?? 1,
    seenPriceCents: input.unitPriceCents ?? undefined,
    purchaseType,
    interval: isSubscription ? (input.subscriptionInterval ?? null) : null,
  });
}
