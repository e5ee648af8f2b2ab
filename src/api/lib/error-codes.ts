import { Id, type TSchema, Type } from '#src/lib/schema.ts';

interface ErrorMeaning {
  readonly status: number;
  /** What it tells a developer; the `detail` of an answer says it of the case at hand. */
  readonly sentence: string;
  /** Further fields of the answer. */
  readonly extensions?: Readonly<Record<string, TSchema>>;
}

const Issues = Type.Array(Type.Object({ path: Type.String(), code: Type.String(), detail: Type.String() }), {
  description: 'Each thing that is wrong, and where: `path` is a JSON pointer.',
  examples: [[{ path: '/items', code: 'minItems', detail: 'must hold at least one' }]],
});
const RetryAfter = Type.Integer({
  minimum: 1,
  description: 'Seconds to wait, as in the Retry-After header.',
  examples: [12],
});
const Reason = Type.String({ examples: ['expired'] });
const Conflicts = Type.Array(
  Type.Object({ product_id: Id('prod'), product_name: Type.String(), payment_subscription_id: Type.String() }),
  {
    examples: [
      [
        {
          product_id: 'prod_01m7xfs208fk1sctzyr3afnpz3',
          product_name: 'Tea box',
          payment_subscription_id: 'sub_1Q2w3E4r5T',
        },
      ],
    ],
  },
);
const ShortItems = Type.Array(
  Type.Object({ variant_id: Id('var'), requested: Type.Integer(), available: Type.Integer() }),
  { examples: [[{ variant_id: 'var_01m7xfs208fk1sctzyr3afnpz3', requested: 3, available: 1 }]] },
);

/**
 * The one list of error codes (api.md, "Errors"): what each means, and the status that it goes with. A shipped code is
 * never changed. Tests hold every refusal in the code to this list, and the list to the code.
 */
export const errorCodes = {
  invalid_request: {
    status: 400,
    sentence: 'The request does not fit its description; `errors` says where.',
    extensions: { errors: Issues },
  },
  invalid_json: { status: 400, sentence: 'The body is not JSON.' },
  missing_tenant: { status: 400, sentence: 'Neither a key nor the x-tenant-slug header names the store.' },
  invalid_cursor: { status: 400, sentence: 'The cursor was changed, or belongs to another list.' },
  too_many_items: { status: 400, sentence: 'The batch holds more items than one request may.' },
  price_unavailable: { status: 400, sentence: 'The product is not sold in this way.', extensions: { errors: Issues } },
  mixed_intervals: { status: 400, sentence: 'Monthly and quarterly subscriptions cannot be bought together.' },
  amount_too_small: { status: 400, sentence: 'The total is below what the payment provider charges in this currency.' },
  currency_mismatch: { status: 400, sentence: 'The store sells in another currency.' },
  variant_required: {
    status: 400,
    sentence: 'The product has several variants, or is subscribed to: name the variant.',
    extensions: { errors: Issues },
  },
  unknown_product: {
    status: 400,
    sentence: 'A line names a product that is not sold.',
    extensions: { errors: Issues },
  },
  promo_not_applicable: {
    status: 400,
    sentence: 'The promo code does not apply; `reason` says why.',
    extensions: { reason: Reason },
  },
  gift_card_not_applicable: {
    status: 400,
    sentence: 'The gift card does not apply; `reason` says why.',
    extensions: { reason: Reason },
  },
  invalid_or_expired_token: { status: 400, sentence: 'The link is not valid, or no longer.' },
  missing_key: { status: 401, sentence: 'The request needs a Bearer key.' },
  invalid_key: { status: 401, sentence: 'There is no such key.' },
  revoked_key: { status: 401, sentence: 'The key was revoked.' },
  expired_key: { status: 401, sentence: 'The key has expired.' },
  wrong_environment: {
    status: 401,
    sentence: 'A test key in the live environment, or a live key in the test environment.',
  },
  invalid_session: { status: 401, sentence: 'The session is not one of this store.' },
  expired_session: { status: 401, sentence: 'The session has expired: refresh it, or sign in again.' },
  insufficient_scope: {
    status: 403,
    sentence: 'The key lacks the scope.',
    extensions: { required_scope: Type.String({ examples: ['cart:write'] }) },
  },
  module_disabled: { status: 403, sentence: 'The store has not switched this on.' },
  confirmation_required: {
    status: 403,
    sentence:
      'What is on file is replaced only with the one-time password that the owner is emailed; `fields` says what that is.',
    extensions: { fields: Type.Array(Type.String(), { examples: [['secret_key']] }) },
  },
  origin_not_allowed: { status: 403, sentence: 'The store does not allow requests from pages of this origin.' },
  not_found: { status: 404, sentence: 'There is nothing like that for this caller.' },
  unknown_tenant: { status: 404, sentence: 'There is no such store.' },
  customer_not_found: { status: 404, sentence: 'The store knows no customer with this address.' },
  method_not_allowed: { status: 405, sentence: 'The address is served, but not by this method; see the Allow header.' },
  duplicate_subscription: {
    status: 409,
    sentence: 'The customer is subscribed to this already: manage that subscription instead.',
    extensions: { conflicts: Conflicts },
  },
  insufficient_stock: {
    status: 409,
    sentence: 'There is less in stock than was asked for.',
    extensions: { items: ShortItems },
  },
  idempotency_in_progress: {
    status: 409,
    sentence:
      'The first request with this Idempotency-Key, or the same one of a moment ago, is still in progress; try again after Retry-After.',
  },
  version_conflict: { status: 409, sentence: 'Somebody else has changed it meanwhile.' },
  subscription_canceled: { status: 409, sentence: 'The subscription has ended.' },
  return_not_allowed: {
    status: 409,
    sentence: 'The order, or the return, does not allow this; `reason` says why.',
    extensions: { reason: Reason },
  },
  refund_not_allowed: {
    status: 409,
    sentence: 'Nothing of this order can be given back; `reason` says why.',
    extensions: { reason: Reason },
  },
  label_in_progress: { status: 409, sentence: 'The label is being worked on at this moment.' },
  label_purchased: { status: 409, sentence: 'The label of this order is bought already.' },
  label_outcome_unknown: { status: 409, sentence: 'It is not known yet whether a label was bought.' },
  label_not_voidable: { status: 409, sentence: 'The label cannot be voided.' },
  order_shipped: { status: 409, sentence: 'The order is on its way already.' },
  order_not_shippable: { status: 409, sentence: 'The order is not one to be shipped.' },
  saved_cart_gone: { status: 410, sentence: 'The saved cart is no longer there.' },
  payload_too_large: { status: 413, sentence: 'The body is larger than this address accepts.' },
  unsupported_media_type: { status: 415, sentence: 'The body must be application/json.' },
  idempotency_key_reused: { status: 422, sentence: 'The Idempotency-Key was used with another body.' },
  rate_limited: {
    status: 429,
    sentence: 'Too many requests; ask again after Retry-After.',
    extensions: { retry_after: RetryAfter },
  },
  internal_error: { status: 500, sentence: 'Something went wrong on our side.' },
  shipping_provider_unavailable: {
    status: 502,
    sentence: 'The shipping provider does not answer, or none is configured.',
  },
  payment_provider_error: { status: 502, sentence: 'The payment provider refused what we asked.' },
  payment_provider_not_configured: { status: 503, sentence: 'The store takes no payments yet.' },
  payment_provider_unavailable: {
    status: 503,
    sentence: 'The payment provider does not answer.',
    extensions: { retry_after: RetryAfter },
  },
  service_unavailable: {
    status: 503,
    sentence: 'The service is away or too busy for a moment.',
    extensions: { retry_after: RetryAfter },
  },
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof errorCodes;

const byCode = new Map<string, ErrorMeaning>(Object.entries(errorCodes));

/** What a code means; `undefined` for what is no code of ours. */
export function meaningOf(code: string): ErrorMeaning | undefined {
  return byCode.get(code);
}
