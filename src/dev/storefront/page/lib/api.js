/** The settings of the page: the URL of the API, the store's slug and its publishable key. */
export const settings = JSON.parse(document.getElementById('settings').textContent);

/** An error of the API, with a message for the shopper and a code for the page. */
export class ApiError extends Error {
  name = 'ApiError';

  constructor(message, { status = 0, code = 'unreachable', body = {} } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

/**
 * Call the API. A public route needs the store's slug, one for storefronts the publishable key, one for customers a
 * session; the slug may always be sent, too.
 *
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {{ body?: unknown, session?: string, isPublic?: boolean, idempotencyKey?: string }} [options]
 * @throws {ApiError}
 */
export async function callApi(method, path, { body, session, isPublic = false, idempotencyKey } = {}) {
  const response = await fetch(`${settings.api}${path}`, {
    method,
    headers: {
      'x-tenant-slug': settings.slug,
      ...(!isPublic && { authorization: `Bearer ${session ?? settings.key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError('The store cannot be reached at the moment. Please try again.');
  });
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  throw new ApiError(messageFor(reply), { status: response.status, code: reply.error, body: reply });
}

function messageFor({ error, detail, retry_after: seconds, errors = [], items = [], conflicts = [] }) {
  if (error === 'rate_limited') return `Too many requests. Please try again in ${seconds} seconds.`;
  if (error === 'insufficient_stock') {
    const left = items.map(({ available }) => (available > 0 ? `only ${available} left` : 'sold out'));
    return `Not enough in stock: ${left.join(', ')}. Please change the quantity.`;
  }
  if (error === 'duplicate_subscription') {
    const names = conflicts.map(({ product_name: name }) => name).join(' and ');
    return `You already have a subscription of ${names}. You will find it in your account.`;
  }
  if (errors.some(({ path }) => /email/.test(path))) return 'This is not a valid email address.';
  return detail ?? 'Something went wrong in the store. Please try again.';
}
