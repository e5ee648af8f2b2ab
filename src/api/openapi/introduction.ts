/** The introduction of the API document, in Markdown. The documentation page shows it, too. */
export const introduction = `
The commerce service behind storefronts: catalog, carts, checkout, orders and subscriptions. Bodies are JSON. Amounts
are whole numbers of the currency's minor unit, in fields that end in \`_cents\`. Times are RFC 3339 in UTC. Unknown
fields in a request are ignored. Responses may gain new fields. \`@storefront-commerce/client\` is a typed client, with a
method for each operation.

## Authentication

Every request names its store. Public operations read it from the \`x-tenant-slug\` header. With
\`Authorization: Bearer <key>\` the key determines the store: secret keys (\`sk_…\`) are for servers, publishable keys
(\`pk_…\`) for web pages. Where both are allowed, a key is limited to its scopes and the header is not needed. Signed-in
customers send their session as the Bearer token. One of \`x-scopes\` of an operation is sufficient; \`write\` includes
\`read\`. A scope of the owner's side may be that of one area, such as \`admin.orders:read\`; \`admin:read\` and
\`admin:write\` cover all of them. Staff of a store sign in to the owner's side with an emailed link; the
browser then sends the cookie of their session, from pages of this service only. Their role has the scopes. Operations that
need their second factor return 403 \`second_factor_required\` until the session is verified.

## Errors

Every error has the same shape: \`error\`, a code for programs; \`detail\`, a message for people; \`request_id\`, to
find the request in our logs (every response has it as \`X-Request-Id\`); and for some codes further fields.
\`x-errors\` of an operation lists the codes that it can return beyond those of its security schemes, which every operation
with a key or a session can return, and those of the document, which every operation can; its responses say what each
means. Requests are checked in this order, and the first failure is reported: URL and method, store or key, scope, rate
limit, whether the store is open, size and type, schema, module, existence, state, provider.

The operations of storefronts and shoppers return 403 \`store_closed\` while the store is closed, except that an email
can be unsubscribed from reminders.

## Idempotency

Operations that accept an \`Idempotency-Key\` run a request once, however often it is sent: for 24 hours the same key
with the same body gets the same response, with \`Idempotent-Replayed: true\`. Bodies are compared as JSON: white space
and the order of fields do not matter; the file of an import is compared as it is. A different body gets 422, and 409
means that the first request is still in progress. Responses with 401, 403, 429 and 5xx are not stored: the next request
runs. A checkout that got 503 continues the same order for ten minutes; without a key, or later, its order ends and
releases its stock and discounts, and the next request creates a new one. Some operations also count identical requests
without a key as one for five seconds: the others get its response, or 409 \`idempotency_in_progress\` while it is still
running.

## Rate limits

Each limited operation has its own window, unless its description says that it is counted together with others. Limited
operations report the caller's usage in \`RateLimit-*\` headers and return 429 with \`Retry-After\` beyond the limit.
Shoppers are counted by their network or session. A secret key is counted over all limited operations: 6,000 requests a
minute, or its own \`requests_per_minute\`. \`x-rate-limit\` of an operation has its numbers for programs. A
storefront's server that sends its secret key may send the shopper's IP address in \`x-client-ip\`; without it, no limit
for shoppers applies to the request.

Operations that are not limited in normal use (checkout, saved carts, the billing portal and a few more) have one window
each, so that a flood of one does not block the others. Beyond it they return 503 with \`Retry-After\`. A store may set
its own \`requests_per_second\` for them, of which one client gets at most half. Requests that are
replayed, or rejected for their key, origin, size, body, parameters or a module, do not count there; all others do.

## Lists

Lists are paged: \`limit\` sets the page size (1 to 100, default 20). \`cursor\` in a response leads to the next page; it
is null on the last one. Pages neither repeat nor skip items that are added meanwhile.

## Caching

Responses of catalog, content and storefront operations have an \`ETag\`. Send it in \`If-None-Match\` to get 304 without
a body while the response is unchanged.

## Events

The service sends events to the webhook endpoints of a store, signed according to Standard Webhooks: the key is what
follows \`whsec_\` in the secret of the endpoint, decoded from base64. A secret that was replaced signs, too, for another
day. Respond with a 2xx within 15 seconds and do slow work afterwards. After anything else, also a redirect, the event is
sent again, up to 10 times in all within about 75 hours. A 410 disables the endpoint. What was missed longer ago, or
while the endpoint was disabled, is sent by \`admin.recoverWebhookDeliveries\` within 30 days.

Events may be delivered twice and in any order. A repeat has the same \`webhook-id\`. \`data.object\` is the object as it is
at the time of the attempt, and of two versions of it, the one with the higher \`object_version\` is newer. What a label
changes of its order (\`labels\`, \`fulfillment_status\`) has no event but that of the label: a copy of orders then reads
the order again. What has no event, such as stock, customers and gift cards, is read with the API or an export.
`.trim();
