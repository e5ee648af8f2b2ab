import { notFound, ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { type OrderForShipping, orderForShipping, type OrderView, readOrder } from '../orders/index.ts';
import type { QuoteRequest, Rate } from '../ports/shipping-gateway.ts';
import { packed } from './assess-order.ts';
import { providerUnavailable } from './choose-rate.ts';
import { sortedByCost } from './choose-cheapest.ts';
import { openAccount } from './open-account.ts';

/**
 * The rates of enabled carriers for an order, the cheapest first, for a person to choose from. Across a border the
 * quote declares the goods to customs, so that its rates can be bought.
 *
 * @throws DomainError `not_found`, or `shipping_provider_unavailable`
 */
export async function quoteOrder(ctx: Context, { orderId }: { orderId: string }): Promise<Rate[]> {
  const [order, view, opened] = await Promise.all([orderForShipping(ctx, orderId), readOrder(ctx, orderId), openAccount(ctx)]);
  if (!order || !view) throw notFound('order');
  const country = order.shippingAddress?.country;
  if (!opened || !country) throw providerUnavailable();

  const contentsOz = order.items.reduce((sum, item) => sum + (item.ships ? item.quantity * (item.weightOz ?? 0) : 0), 0);
  const request: QuoteRequest = {
    from: opened.origin,
    to: { ...order.shippingAddress, country, email: order.shippingAddress.email ?? order.email },
    parcel: packed(opened.parcel, contentsOz),
    carriers: opened.carriers,
    ...(country !== opened.origin.country && { customs: { signer: opened.origin.name, items: customsItems(order, view) } }),
  };
  try {
    const { rates } = await ctx.ports.shipping.quote(opened.account, request, { signal: ctx.signal });
    return sortedByCost(rates, opened.carriers);
  } catch (error) {
    if (error instanceof ProviderError) throw providerUnavailable(error);
    throw error;
  }
}

/** Customs want a weight of everything: what has none is declared as an ounce. */
function customsItems(order: OrderForShipping, view: OrderView) {
  return view.items.flatMap((item, index) => {
    const { ships, weightOz } = order.items[index] ?? { ships: false, weightOz: null };
    if (!ships) return [];
    return {
      description: item.name, quantity: item.quantity, weightOz: item.quantity * (weightOz ?? 1),
      valueCents: item.total_cents, currency: view.currency,
    };
  });
}
