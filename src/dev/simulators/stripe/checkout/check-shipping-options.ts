import type { Account } from '../account.ts';
import type { SessionParams, ShippingOptionParams } from '../objects/session-params.ts';
import { invalid, missing, oneOf } from '../wire/refusal.ts';

const optionsMax = 5;
const displayNameMax = 100;

/** Refuse shipping options that Checkout would not offer. */
export function checkShippingOptions(account: Account, params: SessionParams, currency: string): void {
  const options = params.shipping_options ?? [];
  if (options.length > optionsMax) {
    throw invalid(`You can specify at most ${optionsMax} shipping options.`, 'shipping_options');
  }
  options.forEach((option, index) => checkOption(account, option, currency, `shipping_options[${index}]`));
}

function checkOption(account: Account, option: ShippingOptionParams, currency: string, path: string): void {
  const { shipping_rate: id, shipping_rate_data: data } = option;
  if ((id === undefined) === (data === undefined)) throw oneOf(['shipping_rate', 'shipping_rate_data'], path);
  if (id !== undefined) account.shippingRates.need(id, `${path}[shipping_rate]`);
  if (!data) return;
  const inner = `${path}[shipping_rate_data]`;
  if (data.display_name.length > displayNameMax) {
    throw invalid(`Invalid string: must be at most ${displayNameMax} characters`, `${inner}[display_name]`);
  }
  if (!data.fixed_amount) throw missing(`${inner}[fixed_amount]`);
  if (data.fixed_amount.amount < 0) {
    throw invalid('Invalid non-negative integer', `${inner}[fixed_amount][amount]`, 'parameter_invalid_integer');
  }
  if (data.fixed_amount.currency.toLowerCase() !== currency) {
    throw invalid('The shipping rate must have the currency of the line items.', `${inner}[fixed_amount][currency]`);
  }
}
