/** Why a label waits for a person, or waits to be tried again. A shipped code is never changed. */
export type ReasonCode =
  | 'missing_address'
  | 'address_invalid'
  | 'no_rates'
  | 'no_enabled_carrier'
  | 'no_matching_rate'
  | 'cost_cap'
  | 'parcel_missing'
  | 'international'
  | 'provider_auth'
  | 'provider_insufficient_funds'
  | 'provider_rate_limited'
  | 'provider_error'
  | 'carrier_error'
  | 'outcome_unknown'
  | 'oversold'
  | 'crashes';

export interface Reason {
  /** What is the matter. */
  readonly sentence: string;
  /** What to do about it. */
  readonly next: string;
  /** Whether the queue shows it as failed. What is as it should be never stands among the failures. */
  readonly fails: boolean;
}

const failing = (sentence: string, next: string): Reason => ({ sentence, next, fails: true });

/** What each reason means to the people who can do something about it. */
export const reasons: Readonly<Record<ReasonCode, Reason>> = {
  missing_address: failing('The order has no complete shipping address.', 'Complete the address, then retry.'),
  address_invalid: failing(
    'The carrier does not accept the shipping address.',
    'Correct the address with the shopper, then retry.',
  ),
  no_rates: failing(
    'No carrier offers to take this parcel to this address.',
    'Check the address and the weights of the products, then retry; or ship it by hand and mark it fulfilled.',
  ),
  no_enabled_carrier: failing(
    'None of the carriers that the store enabled is active in its account at the parcel provider.',
    "Activate one there or enable another in the store's shipping settings, then retry.",
  ),
  no_matching_rate: failing(
    "There are rates, but none that the store's settings allow.",
    'Choose a rate by hand, or enable its carrier and retry.',
  ),
  cost_cap: failing(
    'The cheapest label costs more than the store allows.',
    'Choose a rate by hand, or raise label_cost_cap_cents and retry.',
  ),
  parcel_missing: failing(
    'The weight of the parcel is not known: a variant that ships has no weight.',
    'Give every variant of the order a weight, or choose a rate by hand.',
  ),
  international: {
    sentence: 'Labels are bought by themselves within the United States only.',
    next: 'Choose a rate by hand, or ship it and mark it fulfilled.',
    fails: false,
  },
  provider_auth: failing(
    "The store's account at the parcel provider cannot be opened, so its labels are paused.",
    'Save a valid key in the shipping settings: every waiting label is then tried again by itself.',
  ),
  provider_insufficient_funds: failing(
    'The parcel provider wants a payment method or funds before it sells a label.',
    "Settle that in the provider's account, then retry.",
  ),
  provider_rate_limited: failing(
    'The parcel provider asked us to slow down, again and again.',
    'Wait a while, then retry.',
  ),
  provider_error: failing(
    'The parcel provider did not answer as it should, again and again.',
    "Look at the provider's status page, then retry.",
  ),
  carrier_error: failing(
    'The carrier did not sell this label, or it was given back at the parcel provider.',
    'Read what was said on /ops/labels, then retry or choose another rate.',
  ),
  outcome_unknown: failing(
    'It cannot be told whether the label was bought: the parcel provider does not say.',
    'Retry: it looks for the label first and never buys a second one.',
  ),
  oversold: failing(
    'The order was paid after its stock had gone to others, so no label was bought.',
    'Find the goods or agree with the shopper, then retry on /ops/labels.',
  ),
  crashes: failing(
    'The runs for this label kept dying without an outcome.',
    "Look for its id in the worker's log, then retry: it looks for a bought label first.",
  ),
};

/** What stands on the order and in front of people: sentence and advice in one. */
export function adviceFor(code: ReasonCode): string {
  const { sentence, next } = reasons[code];
  return `${sentence} ${next}`;
}

export function isReasonCode(code: string | null | undefined): code is ReasonCode {
  return code !== null && code !== undefined && Object.hasOwn(reasons, code);
}

/** The attentions that end with the label's own state. That an order is oversold is the payment's to say. */
export const labelReasonCodes = Object.keys(reasons).filter((code) => code !== 'oversold');
