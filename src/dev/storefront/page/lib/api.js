/** What the page was served with: where the API is, whose store this is, and the key that any visitor may read. */
export const settings = JSON.parse(document.getElementById('settings').textContent);

/** A refusal of the API. Its message is a sentence for the shopper, its code is for the page. */
export class ApiError extends Error {
  name = 'ApiError';

  constructor(sentence, { status = 0, code = 'unreachable', body = {} } = {}) {
    super(sentence);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

/**
 * Ask the API. A route that is for everybody needs the store's slug, one for storefronts the publishable key, one for
 * whoever is signed in a session; sending the slug along always does no harm.
 *
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {{ body?: unknown, session?: string, isPublic?: boolean, idempotencyKey?: string }} [options]
 * @throws {ApiError}
 */
export async function ask(method, path, { body, session, isPublic = false, idempotencyKey } = {}) {
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
    throw new ApiError('The shop cannot be reached at the moment. Please try again.');
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new ApiError(messageFor(answer), { status: response.status, code: answer.error, body: answer });
}

function messageFor({ error, detail, retry_after: seconds, errors = [], items = [], conflicts = [] }) {
  if (error === 'rate_limited') return `That was a little fast. Please try again in ${seconds} seconds.`;
  if (error === 'insufficient_stock') {
    const left = items.map(({ available }) => (available > 0 ? `only ${available} left` : 'sold out'));
    return `There is not enough in stock: ${left.join(', ')}. Please change the quantity.`;
  }
  if (error === 'duplicate_subscription') {
    const names = conflicts.map(({ product_name: name }) => name).join(' and ');
    return `You already have a subscription of ${names}. You will find it in your account.`;
  }
  if (errors.some(({ path }) => /email/.test(path))) return 'This does not look like an e-mail address.';
  return detail ?? 'The shop did not answer as it should. Please try again.';
}
