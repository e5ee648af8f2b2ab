import { changedMetadata } from '../api/check-metadata.ts';
import type { Account } from '../state/account.ts';
import type { Price, Product, StripeObject } from '../state/objects.ts';
import type { PriceData } from '../state/session-params.ts';

/** Create the price of inline `price_data`, and its product where none is named. */
export function createInlinePrice(account: Account, data: PriceData): Price {
  const product = data.product
    ? account.products.need(data.product, 'product')
    : createProduct(account, data.product_data);
  const decimal = data.unit_amount_decimal ?? String(data.unit_amount ?? 0);
  const price = account.prices.add({
    id: account.mint('price'),
    object: 'price',
    active: false,
    billing_scheme: 'per_unit',
    created: account.now,
    currency: data.currency.toLowerCase(),
    custom_unit_amount: null,
    livemode: account.livemode,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: product.id,
    recurring: data.recurring
      ? {
          interval: data.recurring.interval,
          interval_count: data.recurring.interval_count ?? 1,
          meter: null,
          trial_period_days: null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior: data.tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: data.recurring ? 'recurring' : 'one_time',
    unit_amount: Number.isInteger(Number(decimal)) ? Number(decimal) : null,
    unit_amount_decimal: decimal,
  });
  account.record('price.created', price);
  return price;
}

/** What a number of units costs: fractions of a minor unit are rounded once, half up. */
export function amountOf(price: Price, quantity: number): number {
  return Math.round(Number(price.unit_amount_decimal) * quantity);
}

/** The legacy view of a recurring price, which subscription items still carry. */
export function planOf(price: Price): StripeObject {
  return {
    id: price.id,
    object: 'plan',
    active: price['active'],
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: 'per_unit',
    created: price['created'],
    currency: price.currency,
    interval: price.recurring?.interval,
    interval_count: price.recurring?.interval_count,
    livemode: price['livemode'],
    metadata: {},
    meter: null,
    nickname: null,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}

function createProduct(account: Account, data: PriceData['product_data']): Product {
  const product = account.products.add({
    id: account.mint('prod', 14),
    object: 'product',
    active: false,
    created: account.now,
    default_price: null,
    description: data?.description ?? null,
    images: data?.images ?? [],
    livemode: account.livemode,
    marketing_features: [],
    metadata: changedMetadata({}, data?.metadata),
    name: data?.name ?? '',
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: data?.tax_code ?? null,
    tax_details: null,
    type: 'service',
    unit_label: data?.unit_label ?? null,
    updated: account.now,
    url: null,
  });
  account.record('product.created', product);
  return product;
}
