import { ApiError } from '/client.js';

/** An error message for the shopper: the API's own, where there is one. */
export function errorMessageOf(error) {
  if (!(error instanceof ApiError)) {
    console.error(error);
    return 'Something went wrong on this page. Please try again.';
  }
  const { code, detail, retryAfter, errors, body } = error;
  if (code === 'connection_failed') return 'The store cannot be reached at the moment. Please try again.';
  if (code === 'unexpected_response') return 'Something went wrong in the store. Please try again.';
  if (code === 'rate_limited') return `Too many requests. Please try again in ${retryAfter} seconds.`;
  if (code === 'insufficient_stock') {
    const left = body.items.map(({ available }) => (available > 0 ? `only ${available} left` : 'sold out'));
    return `Not enough in stock: ${left.join(', ')}. Please change the quantity.`;
  }
  if (code === 'duplicate_subscription') {
    const names = body.conflicts.map(({ product_name: name }) => name).join(' and ');
    return `You already have a subscription of ${names}. You will find it in your account.`;
  }
  if (errors.some(({ path }) => /email/.test(path))) return 'This is not a valid email address.';
  return detail;
}
