import { found } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { type OrderForShipping, type OrderView, readOrder } from '../orders/index.ts';
import type { CustomsDeclaration, CustomsItem, PostalAddress } from '../ports/shipping-gateway.ts';
import { notShippable } from './retry-label.ts';
import type { Origin } from './shipping-account.ts';

/**
 * Above this, goods that leave the US must be filed with its customs first, except to Canada, and the label has to cite
 * that filing.
 */
const unfiledUsdCentsMax = 2500_00;

/**
 * ZIP codes of military mail (APO, FPO, DPO) and of the territories, to which US carriers require a declaration as to
 * another country: 006 to 009 Puerto Rico and Virgin Islands, 090 to 099, 340 and 962 to 966 military, 967 99 American
 * Samoa, 969 Guam and the other islands of the Pacific.
 */
const beyondTheStates = /^(00[6-9]|09|340|96[2-6]|96799|969)/;

/**
 * The customs declaration of an order's goods; `undefined` where they stay in the country, and there in the states.
 *
 * @throws DomainError `order_not_shippable` where customs require a filing or may require one
 */
export async function declareGoods(
  ctx: Context,
  { from, to, order }: { from: Origin; to: Pick<PostalAddress, 'country' | 'zip'>; order: OrderForShipping },
): Promise<CustomsDeclaration | undefined> {
  if (to.country === from.country && (isBeyondTheStates(from) || !isBeyondTheStates(to))) return undefined;
  const view = found(await readOrder(ctx, order.id), 'order');
  const items = customsItems(order, view);
  const exemption = from.country === 'US' ? exemptionOf(to.country, items, view.currency) : null;
  return { signer: from.name, items, exemption };
}

const isBeyondTheStates = ({ country, zip }: Pick<PostalAddress, 'country' | 'zip'>): boolean =>
  country === 'US' && beyondTheStates.test(zip?.trim() ?? '');

/** Exchange rates are not known here, so only an order in US dollars can be held to a limit in US dollars. */
function exemptionOf(
  country: string,
  items: readonly CustomsItem[],
  currency: string,
): CustomsDeclaration['exemption'] {
  if (country === 'CA') return 'to_canada';
  if (currency !== 'USD') {
    throw notDeclarable(
      'Goods worth more than 2,500 US dollars must be filed with US customs (AES) before they leave, ' +
        `and the value of this order in US dollars is not known: it is in ${currency}.`,
      'with the exemption or the number of the filing',
    );
  }
  const valueCents = items.reduce((sum, item) => sum + item.valueCents, 0);
  if (valueCents <= unfiledUsdCentsMax) return 'low_value';
  throw notDeclarable(
    'Goods worth more than 2,500 US dollars must be filed with US customs (AES) before they leave.',
    'with the number of the filing',
  );
}

const notDeclarable = (reason: string, declared: string) =>
  notShippable(
    `${reason} Buy this label on the shipping provider's website, ${declared}, and mark the order as shipped.`,
  );

/** Customs require a weight for every item: one without a weight counts as an ounce. */
export const unknownOz = 1;

function customsItems(order: OrderForShipping, view: OrderView): CustomsItem[] {
  return view.items.flatMap((item, index) => {
    const { ships, quantity, weightOz } = order.items[index] ?? { ships: false, quantity: 0, weightOz: null };
    if (!ships || quantity === 0) return [];
    return {
      description: item.name,
      quantity,
      weightOz: quantity * (weightOz ?? unknownOz),
      valueCents: Math.round((item.total_cents * quantity) / item.quantity),
      currency: view.currency,
    };
  });
}
