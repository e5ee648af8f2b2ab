import { DomainError, notFound, ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { type OrderForShipping, type OrderView, orderForShipping, readOrder } from '../orders/index.ts';
import type { CustomsItem, QuoteRequest, Rate } from '../ports/shipping-gateway.ts';
import { packed } from './assess-order.ts';
import { sortedByCost } from './choose-cheapest.ts';
import { providerUnavailable } from './choose-rate.ts';
import { openAccount } from './open-account.ts';
import { quoteMarker } from './quote-marker.ts';

/**
 * Above this, goods that leave the US must be filed with its customs first, except to Canada, and the label has to name
 * that filing. There is no rate of exchange here: the limit is taken in the order's own currency.
 */
const unfiledCentsMax = 2500_00;

/**
 * The rates of enabled carriers for an order, the cheapest first, for a person to choose from. Across a border the
 * quote declares the goods to customs, so that its rates can be bought.
 *
 * @throws DomainError `not_found`, `order_not_shippable` where customs want a filing, or `shipping_provider_unavailable`
 */
export async function quoteOrder(ctx: Context, { orderId }: { orderId: string }): Promise<Rate[]> {
  const [order, view, opened] = await Promise.all([
    orderForShipping(ctx, orderId),
    readOrder(ctx, orderId),
    openAccount(ctx),
  ]);
  if (!order || !view) throw notFound('order');
  const country = order.shippingAddress?.country;
  if (!opened || !country) throw providerUnavailable();

  const contentsOz = order.items.reduce(
    (sum, item) => sum + (item.ships ? item.quantity * (item.weightOz ?? unknownOz) : 0),
    0,
  );
  const isAbroad = country !== opened.origin.country;
  const customs = isAbroad ? customsItems(order, view) : [];
  rejectIfToBeFiled(opened.origin.country, country, customs);
  const request: QuoteRequest = {
    from: opened.origin,
    to: { ...order.shippingAddress, country, email: order.shippingAddress.email ?? order.email },
    parcel: packed(opened.parcel, contentsOz),
    carriers: opened.carriers,
    marker: quoteMarker(orderId, order.shippingAddress),
    ...(isAbroad && { customs: { signer: opened.origin.name, items: customs } }),
  };
  try {
    const { rates } = await ctx.ports.shipping.quote(opened.account, request, { signal: ctx.signal });
    return sortedByCost(rates, opened.carriers);
  } catch (error) {
    if (error instanceof ProviderError) throw providerUnavailable(error);
    throw error;
  }
}

function rejectIfToBeFiled(from: string, to: string, items: readonly CustomsItem[]): void {
  const valueCents = items.reduce((sum, item) => sum + item.valueCents, 0);
  if (from !== 'US' || to === 'CA' || valueCents <= unfiledCentsMax) return;
  throw new DomainError(
    'conflict',
    'order_not_shippable',
    "Goods worth more than 2,500 US dollars must be filed with US customs (AES) before they leave. Buy this label in the parcel provider's own pages, with the number of the filing, and mark the order as shipped.",
  );
}

/** Customs want a weight of everything: what has none is taken for an ounce. */
const unknownOz = 1;

function customsItems(order: OrderForShipping, view: OrderView): CustomsItem[] {
  return view.items.flatMap((item, index) => {
    const { ships, weightOz } = order.items[index] ?? { ships: false, weightOz: null };
    if (!ships) return [];
    return {
      description: item.name,
      quantity: item.quantity,
      weightOz: item.quantity * (weightOz ?? unknownOz),
      valueCents: item.total_cents,
      currency: view.currency,
    };
  });
}
