/** What a reader needs to know before the first call. Markdown; the reading page shows it, too. */
export const introduction = `
The commerce service behind storefronts: catalogue, carts, checkout, orders, subscriptions and what belongs to them.
Bodies are JSON. Amounts are whole numbers of the currency's minor unit, in fields that end in \`_cents\`. Times are
RFC 3339 in UTC. Fields that are not documented are ignored in requests, and may be added to answers.

## Who is asking

Every request names its store. Public addresses read it from the \`x-tenant-slug\` header. With
\`Authorization: Bearer <key>\` the key names it: secret keys (\`sk_…\`) are for servers, publishable keys (\`pk_…\`) for
pages. Where both are allowed, a key is held to its scopes and the header is not needed. Customers who signed in send
their session as the Bearer token.

## Errors

Every error has one shape: \`error\`, a code for programs; \`detail\`, a sentence for people; \`request_id\`, which our
logs know; and for some codes further fields. A request is refused for the first of these that applies: address and
method, store or key, scope, rate, size and type, schema, module, existence, state, provider.

## Sending again

Addresses that take an \`Idempotency-Key\` run a request once, however often it is sent: for 24 hours the same key with
the same body gets the same answer, with \`Idempotent-Replayed: true\`. Another body is 422, and 409 says that the first
try is still at work. Answers of 401, 403, 429 and 5xx are not kept: the next try runs. A checkout that was answered
with 503 continues the same order for ten minutes; without a key, or later, its order ends, releases what it held, and
the next try makes a new one.

## Limits

Each limited operation has a window of its own, except where its description says that it is counted together with others.
Limited operations tell in \`RateLimit-*\` headers how the caller stands, and answer 429 with \`Retry-After\` when it is
too much. Shoppers are counted by their network or session. A secret key is counted over all limited operations: 6000
requests a minute, or its own \`requests_per_minute\`. A storefront's server that sends its secret key may name its shopper in
\`x-client-ip\`; without it, no limit for shoppers applies to it.

Operations that are not limited in normal use (checkout, saved carts, the billing portal and a few more) have a window of
their own each: a flood of one closes no other. Beyond it they answer 503 with \`Retry-After\`. What is rejected for its
key, origin, size, body, parameters or a module does not count there; everything else does.

## Lists

Lists come in pages of \`limit\` (1 to 100, else 20). \`cursor\` in an answer leads to the next page; it is null on the
last one. Pages neither repeat nor lose what is added meanwhile.

## Caching

Catalogue, content and storefront are answered with an \`ETag\`. Sent back as \`If-None-Match\`, it saves sending them again.

## Events

The service calls the addresses that a store registers, signed as Standard Webhooks describe. Deliveries may come
twice and in any order: \`object_version\` says which state of an object is the later one.
`.trim();
