import { invalid, missing, oneOf } from '../api/error.ts';
import type { Account } from '../state/account.ts';
import type { SessionParams, ShippingOptionParams } from '../state/session-params.ts';
import { checkLines } from './check-line-items.ts';

const lifeMinSeconds = 30 * 60;
const lifeMaxSeconds = 24 * 3600;

/** Reject the parameters that Checkout rejects, before anything is created. */
export function checkSession(account: Account, params: SessionParams): void {
  checkMode(params);
  checkUrls(account, params);
  checkCustomer(params);
  if (params.automatic_tax?.enabled && account.taxStatus === 'pending') {
    const text = 'You must have a valid head office address to enable automatic tax calculation.';
    throw invalid(text, 'automatic_tax');
  }
  checkDiscounts(params);
  checkExpiry(account, params);
  if (params.shipping_address_collection?.allowed_countries.length === 0) {
    throw missing('shipping_address_collection[allowed_countries]');
  }
  const currency = checkLines(account, params);
  checkShippingOptions(account, params, currency);
}

function checkMode(params: SessionParams): void {
  const { mode, ui_mode: uiMode = 'hosted_page' } = params;
  if (!mode) throw missing('mode');
  if (mode === 'setup') throw invalid('The simulator does not offer `setup` mode.', 'mode');
  if (uiMode !== 'hosted_page') throw invalid('The simulator offers the `hosted_page` only.', 'ui_mode');
  const foreign =
    mode === 'subscription'
      ? (['payment_intent_data', 'shipping_options', 'customer_creation', 'invoice_creation', 'submit_type'] as const)
      : (['subscription_data', 'payment_method_collection'] as const);
  const wrong = foreign.find((name) => params[name] !== undefined && params[name] !== 'subscribe');
  if (wrong) throw invalid(`You can not pass \`${wrong}\` in \`${mode}\` mode.`, wrong);
  if (params.invoice_creation?.enabled) {
    throw invalid('The simulator makes no invoices in `payment` mode.', 'invoice_creation');
  }
}

function checkUrls(account: Account, params: SessionParams): void {
  if (params.return_url) {
    throw invalid('`return_url` can only be used with `ui_mode: embedded_page` or `elements`.', 'return_url');
  }
  if (!params.success_url) throw missing('success_url');
  for (const name of ['success_url', 'cancel_url'] as const) {
    const address = params[name];
    if (address === undefined) continue;
    const { protocol } = parseUrl(address, name);
    if (account.livemode && protocol !== 'https:') {
      throw invalid('Livemode requests must always be redirected via HTTPS.', name, 'url_invalid');
    }
  }
}

function checkCustomer(params: SessionParams): void {
  const { customer, customer_email: email } = params;
  if (customer && email) throw oneOf(['customer', 'customer_email']);
  if (customer && params.customer_creation) throw oneOf(['customer', 'customer_creation']);
  if (params.customer_update && !customer) {
    throw invalid('`customer_update` can only be used with `customer`.', 'customer_update');
  }
  if (email !== undefined && (email.length > 512 || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))) {
    throw invalid(`Invalid email address: ${email}`, 'customer_email', 'email_invalid');
  }
  if (params.automatic_tax?.enabled && customer && !params.customer_update?.address) {
    throw invalid(
      'Automatic tax calculation in Checkout requires a valid address on the Customer. ' +
        "Set `customer_update[address]` to 'auto' to save the address entered during Checkout.",
      'automatic_tax',
      'customer_tax_location_invalid',
    );
  }
}

function checkDiscounts({ discounts = [] }: SessionParams): void {
  if (discounts.length > 1) throw invalid('You can only specify one discount.', 'discounts');
}

function checkExpiry(account: Account, { expires_at: expiresAt }: SessionParams): void {
  if (expiresAt === undefined) return;
  const life = expiresAt - account.now;
  if (life < lifeMinSeconds) {
    throw invalid(
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
      'expires_at',
    );
  }
  if (life > lifeMaxSeconds) {
    throw invalid(
      'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.',
      'expires_at',
    );
  }
}

function parseUrl(address: string, param: string): URL {
  const url = URL.parse(address);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw invalid('Not a valid URL', param, 'url_invalid');
}

const optionsMax = 5;
const displayNameMax = 100;

/** Reject shipping options that Checkout would not offer. */
function checkShippingOptions(account: Account, params: SessionParams, currency: string): void {
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
