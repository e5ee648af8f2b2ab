import type { AdminArea } from '../tenants/index.ts';

/**
 * Why a label needs attention or waits for a retry. The codes are part of the API: a released one never changes.
 *
 * They are decided, in the order of an attempt, by `assessOrder` (the order and its address), `chooseLabelRate` (the
 * rates), and `recordProviderError` and `recordPurchaseOutcome` (what the provider responded). `flagLabel` records
 * them.
 */
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
  | 'payment_disputed'
  | 'crashes';

/** What helps a label: another attempt, a corrected address, or a rate that a person chooses. */
export const remedies = ['retry', 'address', 'rate'] as const;
export type Remedy = (typeof remedies)[number];

export interface Reason {
  /** What happened. */
  readonly message: string;
  /** What to do about it. */
  readonly next: string;
  /** The areas of the owner's work that a member must be allowed to change, to do all of it. */
  readonly areas: readonly AdminArea[];
  /** The action that helps, where another attempt alone does not. */
  readonly remedy: Remedy;
  /** Whether the job fails with it. A reason that is no fault, such as a foreign address, completes the job. */
  readonly fails: boolean;
  /** Whether an operator decides something by a retry: one on the board, where all are retried at once, does not. */
  readonly isDecided: boolean;
}

const failing = (
  message: string,
  next: string,
  {
    remedy = 'retry',
    areas = [],
    isDecided = false,
  }: { remedy?: Remedy; areas?: readonly AdminArea[]; isDecided?: boolean } = {},
): Reason => ({ message, next, areas: ['labels', ...areas], remedy, fails: true, isDecided });

/** What each reason means to an operator, and what to do about it. */
export const reasons: Readonly<Record<ReasonCode, Reason>> = {
  missing_address: failing(
    'The order has no complete shipping address.',
    'Complete the address, then retry. Where a country has no postal codes, enter 00000.',
    { remedy: 'address', areas: ['orders'] },
  ),
  address_invalid: failing(
    'The carrier does not accept the shipping address.',
    'Correct the address with the shopper, then retry.',
    { remedy: 'address', areas: ['orders'] },
  ),
  no_rates: failing(
    'No carrier offers a rate for this parcel and address.',
    'Check the address and the weights of the products, then retry; or ship it by hand and mark it fulfilled.',
  ),
  no_enabled_carrier: failing(
    "None of the store's enabled carriers is active in its account at the shipping provider.",
    "Activate one there, or enable another in the store's shipping settings, then retry.",
    { areas: ['settings'] },
  ),
  no_matching_rate: failing(
    "The rate that was chosen can no longer be bought, or no rate is in the currency of the store's labels.",
    'Choose a rate by hand, or retry to buy the cheapest where all are in one currency.',
    { remedy: 'rate', isDecided: true },
  ),
  cost_cap: failing(
    'The cheapest label costs more than the store allows, or is sold in another currency than that limit.',
    'Choose a rate by hand, or raise or remove label_cost_cap_cents and retry.',
    { remedy: 'rate' },
  ),
  parcel_missing: failing(
    'The weight of the parcel is unknown: a variant that ships has no weight.',
    'Give every variant of the order a weight, or choose a rate by hand.',
  ),
  international: {
    message: 'Labels are bought automatically within the United States only.',
    next: 'Choose a rate by hand, retry to buy the cheapest, or ship it and mark it fulfilled.',
    areas: ['labels'],
    remedy: 'rate',
    fails: false,
    isDecided: true,
  },
  provider_auth: failing(
    "The shipping provider rejected the store's API key, so its labels are paused.",
    'Save a valid key in the shipping settings: every waiting label is then retried automatically.',
    { areas: ['settings'] },
  ),
  provider_insufficient_funds: failing(
    'The shipping provider requires a payment method or funds before it sells a label.',
    "Add one in the provider's account, then retry.",
    { areas: ['settings'] },
  ),
  provider_rate_limited: failing(
    'The shipping provider kept rejecting requests because of its rate limit.',
    'Wait a while, then retry.',
  ),
  provider_error: failing('The shipping provider kept failing.', "Check the provider's status page, then retry."),
  carrier_error: failing(
    'The carrier did not sell this label, or it was voided at the shipping provider.',
    "Read the provider's message, then retry or choose another rate.",
  ),
  outcome_unknown: failing(
    'It is unknown whether the label was bought: the shipping provider does not report an outcome.',
    'Retry: the purchase is looked up first, and no second label is bought.',
  ),
  oversold: failing(
    'The order was paid after its stock was sold to other orders, so no label was bought.',
    'Find the goods or agree on a solution with the shopper, then retry: what is in stock then is sold to the order.',
    { isDecided: true },
  ),
  payment_disputed: {
    message: "The shopper's bank disputed the payment before a label was bought.",
    next: 'Keep the goods until the dispute is over. To send them all the same, retry.',
    areas: ['labels'],
    remedy: 'retry',
    fails: false,
    isDecided: true,
  },
  crashes: failing(
    'The attempts for this label kept crashing.',
    "Search the worker's log for its id, then retry: a bought label is looked up first.",
  ),
};

const codesOfAttention = Object.keys(reasons) as readonly ReasonCode[];

/** Every code that a label can have: also those of one that was skipped, which needs no attention. */
export const reasonCodes = [...codesOfAttention, 'not_required', 'by_hand'] as const;

/** What happened and what to do, as the failure of a job says it. */
export function adviceFor(code: ReasonCode): string {
  const { message, next, isDecided } = reasons[code];
  return `${message} ${next}${isDecided ? " Retry it on /ops/labels: the board's Retry does not decide that." : ''}`;
}

export function isReasonCode(code: string | null | undefined): code is ReasonCode {
  return code !== null && code !== undefined && Object.hasOwn(reasons, code);
}

/** The attentions that end with the label's own state. `oversold` is not one of them: the payment flags it. */
export const labelReasonCodes = codesOfAttention.filter((code) => code !== 'oversold');
