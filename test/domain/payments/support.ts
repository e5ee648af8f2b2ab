import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { type BuiltProduct, buildProduct } from '#test/support/factories/catalog.ts';
import type { FakePayments } from '#test/support/fakes/payment-gateway.ts';

/** An order of one of five whose session is open at the provider. */
export async function buy(
  ctx: Context,
  payments: FakePayments,
): Promise<{ orderId: string; sessionId: string; product: BuiltProduct }> {
  const product = await buildProduct(ctx, { variants: [{ stock: 5, ships: false }] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
  });
  return { orderId, sessionId: payments.sessionOf(orderId).sessionId, product };
}
