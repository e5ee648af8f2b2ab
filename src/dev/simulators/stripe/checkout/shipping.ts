import { changedMetadata } from '../api/check-metadata.ts';
import { invalid } from '../api/error.ts';
import type { Account } from '../state/account.ts';
import type { Session } from '../state/objects.ts';
import type { ShippingOptionParams } from '../state/session-params.ts';

type ShippingOption = Session['shipping_options'][number];

/** An option for a new session; inline data becomes a shipping rate of the account. */
export function shippingOption(account: Account, option: ShippingOptionParams): ShippingOption {
  const { shipping_rate: id, shipping_rate_data: data } = option;
  if (id !== undefined) {
    return { shipping_amount: account.shippingRates.need(id).fixed_amount.amount, shipping_rate: id };
  }
  const amount = data?.fixed_amount?.amount ?? 0;
  const rate = account.shippingRates.add({
    id: account.mint('shr'),
    object: 'shipping_rate',
    active: false,
    created: account.now,
    delivery_estimate: data?.delivery_estimate ? { maximum: null, minimum: null, ...data.delivery_estimate } : null,
    display_name: data?.display_name ?? '',
    fixed_amount: { amount, currency: data?.fixed_amount?.currency.toLowerCase() ?? 'usd' },
    livemode: account.livemode,
    metadata: changedMetadata({}, data?.metadata),
    tax_behavior: data?.tax_behavior ?? 'unspecified',
    tax_code: data?.tax_code ?? null,
    type: 'fixed_amount',
  });
  return { shipping_amount: amount, shipping_rate: rate.id };
}

/** Take one of a session's options, and its price into the total. */
export function chooseShipping(session: Session, index = 0): void {
  const option = session.shipping_options[index];
  if (!option) {
    if (session.shipping_options.length === 0) return;
    throw invalid('Choose one of the shipping options.', 'shipping_option');
  }
  const { shipping_amount: amount, shipping_rate: rate } = option;
  const { amount_discount: discount } = session.total_details;
  session.shipping_cost = {
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    shipping_rate: rate,
  };
  session.total_details = { amount_discount: discount, amount_shipping: amount, amount_tax: 0 };
  session.amount_total = session.amount_subtotal - discount + amount;
}

/** Add the tax to the total, as Stripe does once it knows the address. */
export function addTax(session: Session, tax = 0): void {
  const { amount_tax: before } = session.total_details;
  session.total_details = { ...session.total_details, amount_tax: tax };
  session.amount_total += tax - before;
}
