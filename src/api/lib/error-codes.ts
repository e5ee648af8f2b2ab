import { Id, type TSchema, Type } from '#src/lib/schema.ts';

interface ErrorMeaning {
  readonly status: number;
  /** For developers; the `detail` of a response describes the case at hand. */
  readonly message: string;
  /** Further fields of the response. */
  readonly extensions?: Readonly<Record<string, TSchema>>;
}

const Issues = Type.Array(Type.Object({ path: Type.String(), code: Type.String(), detail: Type.String() }), {
  description: 'Every problem and where it is: `path` is a JSON pointer.',
  examples: [[{ path: '/items', code: 'minItems', detail: 'must have at least one item' }]],
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
 * Every error code with its meaning and HTTP status. A shipped code never changes. Tests check that the code uses no
 * other codes and that none here is unused.
 */
export const errorCodes = {
  invalid_request: {
    status: 400,
    message: 'The request does not match its schema; `errors` lists each problem.',
    extensions: { errors: Issues },
  },
  invalid_json: { status: 400, message: 'The body is not JSON.' },
  missing_tenant: { status: 400, message: 'The request names no store: send a key or the x-tenant-slug header.' },
  invalid_cursor: { status: 400, message: 'The cursor is invalid, or belongs to another list.' },
  too_many_items: { status: 400, message: 'The batch has more items than one request may contain.' },
  price_unavailable: {
    status: 400,
    message: 'The product has no price for this kind of purchase.',
    extensions: { errors: Issues },
  },
  mixed_intervals: { status: 400, message: 'Monthly and quarterly subscriptions cannot be bought together.' },
  amount_too_small: {
    status: 400,
    message: 'The total is below the minimum charge of the payment provider in this currency.',
  },
  currency_mismatch: { status: 400, message: 'The store sells in another currency.' },
  variant_required: {
    status: 400,
    message: 'The product has several variants, or is a subscription: specify the variant.',
    extensions: { errors: Issues },
  },
  unknown_product: {
    status: 400,
    message: 'A line refers to a product that is not for sale.',
    extensions: { errors: Issues },
  },
  promo_not_applicable: {
    status: 400,
    message: 'The promo code does not apply; `reason` says why.',
    extensions: { reason: Reason },
  },
  gift_card_not_applicable: {
    status: 400,
    message: 'The gift card does not apply; `reason` says why.',
    extensions: { reason: Reason },
  },
  invalid_or_expired_token: { status: 400, message: 'The link or code is invalid or has expired.' },
  missing_key: { status: 401, message: 'The request requires a Bearer key.' },
  invalid_key: { status: 401, message: 'Unknown key.' },
  revoked_key: { status: 401, message: 'The key was revoked.' },
  expired_key: { status: 401, message: 'The key has expired.' },
  wrong_environment: {
    status: 401,
    message: 'A test key was used in the live environment, or a live key in the test environment.',
  },
  invalid_session: { status: 401, message: 'The session is not valid for this store.' },
  expired_session: { status: 401, message: 'The session has expired: refresh it, or sign in again.' },
  insufficient_scope: {
    status: 403,
    message: 'The key, or the role, lacks the required scope.',
    extensions: { required_scope: Type.String({ examples: ['cart:write'] }) },
  },
  store_closed: { status: 403, message: 'The store is closed.' },
  module_disabled: { status: 403, message: 'This module is disabled for the store.' },
  confirmation_required: {
    status: 403,
    message:
      'Replacing stored values requires the one-time password that was emailed to the owner; ' +
      '`fields` lists the values.',
    extensions: { fields: Type.Array(Type.String(), { examples: [['secret_key']] }) },
  },
  second_factor_required: {
    status: 403,
    message: 'A member of the staff needs to verify the session with the second factor, and send the request again.',
  },
  origin_not_allowed: { status: 403, message: 'The store does not allow requests from this origin.' },
  not_found: { status: 404, message: 'Not found.' },
  unknown_tenant: { status: 404, message: 'Unknown store.' },
  customer_not_found: { status: 404, message: 'The store has no customer with this email.' },
  method_not_allowed: { status: 405, message: 'The URL does not support this method; see the Allow header.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  duplicate_subscription: {
    status: 409,
    message: 'The customer has a subscription to this product already.',
    extensions: { conflicts: Conflicts },
  },
  insufficient_stock: {
    status: 409,
    message: 'Not enough stock.',
    extensions: { items: ShortItems },
  },
  idempotency_in_progress: {
    status: 409,
    message:
      'An earlier request with this Idempotency-Key, or an identical one, is still in progress; ' +
      'retry after Retry-After.',
  },
  version_conflict: { status: 409, message: 'It has been changed since you read it.' },
  subscription_canceled: { status: 409, message: 'The subscription has ended.' },
  return_not_allowed: {
    status: 409,
    message: 'The order, or the return, does not allow this; `reason` says why.',
    extensions: { reason: Reason, errors: Issues },
  },
  refund_not_allowed: {
    status: 409,
    message: 'This order cannot be refunded; `reason` says why.',
    extensions: { reason: Reason },
  },
  label_in_progress: { status: 409, message: 'Another operation on this label is in progress.' },
  label_purchased: { status: 409, message: 'The label of this order has been purchased already.' },
  label_outcome_unknown: { status: 409, message: 'It is not known yet whether a label was purchased.' },
  label_not_voidable: { status: 409, message: 'The label cannot be voided.' },
  order_shipped: { status: 409, message: 'The order has been shipped already.' },
  order_not_shippable: {
    status: 409,
    message: 'Nothing of the order is to be shipped, or it cannot be shipped with a label from here.',
  },
  totp_enabled: { status: 409, message: 'The member has an authenticator app already.' },
  last_owner: { status: 409, message: 'The only owner of a store can be neither revoked nor given another role.' },
  not_runnable: {
    status: 409,
    message: 'This bulk change cannot be run any more: it was canceled, is too old, or newer previews took its place.',
  },
  not_undoable: {
    status: 409,
    message: 'This cannot be undone: it has not ended, has changed nothing, or is of a kind that cannot be undone.',
  },
  no_receipt: { status: 409, message: 'The order is not paid, or has no email address.' },
  saved_cart_gone: { status: 410, message: 'The saved cart no longer exists.' },
  payload_too_large: { status: 413, message: 'The body is larger than this URL accepts.' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
  expectation_failed: { status: 417, message: 'Only `Expect: 100-continue` is supported.' },
  idempotency_key_reused: { status: 422, message: 'The Idempotency-Key was used with a different body.' },
  rate_limited: {
    status: 429,
    message: 'Too many requests; retry after Retry-After.',
    extensions: { retry_after: RetryAfter },
  },
  headers_too_large: { status: 431, message: 'The URL and the headers are too large.' },
  internal_error: { status: 500, message: 'Internal server error.' },
  shipping_provider_unavailable: {
    status: 502,
    message: 'The shipping provider is unavailable or not configured.',
  },
  payment_provider_error: { status: 502, message: 'The payment provider rejected the request.' },
  payment_provider_not_configured: { status: 503, message: 'The store has no payment provider configured.' },
  payment_provider_unavailable: {
    status: 503,
    message: 'The payment provider is unavailable.',
    extensions: { retry_after: RetryAfter },
  },
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable.',
    extensions: { retry_after: RetryAfter },
  },
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof errorCodes;

const byCode = new Map<string, ErrorMeaning>(Object.entries(errorCodes));

/** @returns the meaning of a code, or `undefined` for an unknown one */
export function meaningOf(code: string): ErrorMeaning | undefined {
  return byCode.get(code);
}
