import { lockName } from '#src/database/lock-names.ts';
import { lockRow } from '#src/database/rows.ts';
import { brokenConstraint } from '#src/database/transact.ts';
import { assignChanges } from '#src/lib/assign-changes.ts';
import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { Omittable, type Static, Type, Url } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { eventTypes } from '#src/outbox/events.ts';
import type { Change, FieldValues } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import { saveLeases } from './endpoint-leases.ts';
import { hasSecret, newSecret, openSecret, replaceSecret, sealSecret, secretPattern } from './endpoint-secrets.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

const families = new Set(
  Object.keys(eventTypes)
    .filter((type) => type !== 'webhook.test')
    .map((type) => `${type.split('.')[0]}.*`),
);

/** An event type, or a family of them such as `order.*`. `webhook.test` reaches the endpoint under test in any case. */
const EventFilter = Type.Enum([...Object.keys(eventTypes), ...families], { examples: ['order.paid'] });

const Events = Type.Array(EventFilter, {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  examples: [['order.paid', 'subscription.*']],
});
const Concurrency = Type.Integer({
  minimum: 1,
  maximum: 32,
  examples: [4],
  description: 'Maximum number of concurrent requests.',
});
const RatePerSecond = Type.Integer({
  minimum: 1,
  maximum: 1000,
  examples: [50],
  description: 'Maximum number of requests per second. No limit if omitted.',
});

/** A new endpoint. */
export const EndpointInput = Type.Object({
  url: Url,
  events: Events,
  concurrency: Type.Optional(Concurrency),
  rate_per_second: Omittable(RatePerSecond),
});
export type EndpointInput = Static<typeof EndpointInput>;

/** Changes to an endpoint. Fields that are left out stay as they are. */
export const EndpointPatch = Type.Partial(EndpointInput);
export type EndpointPatch = Static<typeof EndpointPatch>;

/** An endpoint in a store file, identified by its URL. It may come with its own secret. */
export const EndpointEntry = Type.Object({
  ...EndpointInput.properties,
  secret: Type.Optional(
    Type.String({
      pattern: secretPattern,
      description: 'whsec_ and base64 of 16 to 64 bytes. Generated when omitted.',
    }),
  ),
});
export type EndpointEntry = Static<typeof EndpointEntry>;

/**
 * Create an endpoint of a store file, or update it. Fields that the file leaves out stay as they are. A changed secret
 * is a rotation: the old one also signs for a day.
 *
 * The URL is validated without DNS, because this runs inside a transaction; every attempt resolves and validates it.
 * @throws DomainError `invalid_request` when the URL may not be called, or `rate_limited` after five rotations within a day
 */
export async function saveEndpoint(ctx: InTransaction, input: EndpointEntry): Promise<Change> {
  const subject = `webhook endpoint ${withoutQuery(input.url)}`;
  await lockEndpoints(ctx);
  const endpoint = await lockByUrl(ctx, input.url);
  if (!endpoint) {
    await rejectUnsafeUrl(ctx, input.url, { resolve: false });
    await rejectTakenUrl(buildEndpoint(ctx, input, input.secret ?? newSecret()));
    return { subject, action: 'created', fields: Object.keys(input) };
  }
  const values = await assignEndpoint(ctx, endpoint, input);
  const fields = [...Object.keys(values), ...changeSecret(ctx, endpoint, input.secret)];
  return { subject, action: fields.length > 0 ? 'updated' : 'unchanged', fields, values };
}

/** Assign the given fields to an endpoint. @returns those that changed */
export async function assignEndpoint(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  given: Partial<EndpointEntry>,
): Promise<FieldValues> {
  const values = assignChanges(endpoint, {
    ...(given.url !== undefined && { url: given.url }),
    ...settingsOf(given),
  });
  if (Object.keys(values).length === 0) return values;
  endpoint.touch(ctx.clock.now());
  if (values['rate_per_second']) endpoint.pacedUntil = null;
  if (values['concurrency']) await saveLeases(ctx, endpoint.id, endpoint.concurrency);
  await ctx.tx.em.flush();
  return values;
}

const settingsOf = (given: Partial<EndpointEntry>) => ({
  ...(given.events && { events: [...given.events] }),
  ...(given.concurrency !== undefined && { concurrency: given.concurrency }),
  ...(given.rate_per_second !== undefined && { ratePerSecond: given.rate_per_second }),
});

function changeSecret(ctx: InTransaction, endpoint: WebhookEndpoint, secret: string | undefined): string[] {
  if (secret === undefined || (hasSecret(ctx, endpoint) && openSecret(ctx, endpoint) === secret)) return [];
  replaceSecret(ctx, endpoint, secret);
  return ['secret'];
}

/** The URL without its query, which may hold a secret. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const defaultConcurrency = 4;

/** The transaction that records an event writes a delivery for each of them. */
const endpointsMax = 50;

/** New endpoints of a store wait for each other: so their number and their URLs can be checked before. */
const lockEndpoints = (ctx: InTransaction) => lockName(ctx, 'webhook endpoints', 'all');

/**
 * Insert a new endpoint with its leases.
 * @throws DomainError `invalid_request` when the store has as many as it may have
 */
export async function buildEndpoint(
  ctx: InTransaction,
  input: EndpointInput,
  secret: string,
): Promise<WebhookEndpoint> {
  await lockEndpoints(ctx);
  const now = ctx.clock.now();
  const concurrency = input.concurrency ?? defaultConcurrency;
  const { length: known } = await ctx.tx.execute(sql`
    select from webhook_endpoints where tenant_id = ${ctx.tenant.id} limit ${endpointsMax}`);
  if (known === endpointsMax) throw invalidRequest(`A store has at most ${endpointsMax} webhook endpoints.`);
  const endpoint = ctx.tx.em.create(WebhookEndpoint, {
    tenantId: ctx.tenant.id,
    id: newId('whe'),
    url: input.url,
    events: [...input.events],
    concurrency,
    ratePerSecond: input.rate_per_second ?? null,
    secretSealed: sealSecret(ctx, secret),
    failures: 0,
    failuresInRow: 0,
    warnings: 0,
    breakerOpenings: 0,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  await ctx.tx.em.flush();
  await saveLeases(ctx, endpoint.id, concurrency);
  return endpoint;
}

/** The store's endpoint with this URL, locked. */
async function lockByUrl(ctx: InTransaction, url: string): Promise<WebhookEndpoint | undefined> {
  const [known] = await ctx.tx.execute<{ id: string }>(sql`
    select id from webhook_endpoints where tenant_id = ${ctx.tenant.id} and url = ${url} for no key update`);
  return known && lockRow(ctx, WebhookEndpoint, known.id);
}

/**
 * Reject a URL that may not be called: not https, with credentials, or not public.
 * @param options `resolve: false` makes no DNS query, for use inside a transaction
 * @throws DomainError `invalid_request`
 */
export async function rejectUnsafeUrl(ctx: Context, url: string, options: { resolve: boolean }): Promise<void> {
  const reason = await ctx.ports.http.findUrlProblem(url, options);
  if (reason !== undefined) throw urlError(reason);
}

/**
 * Report a taken URL by its unique constraint, so that a concurrent request gets the same error as a later one.
 * @throws DomainError `invalid_request`
 */
export async function rejectTakenUrl<Result>(saving: Promise<Result>): Promise<Result> {
  try {
    return await saving;
  } catch (error) {
    if (brokenConstraint(error) !== 'webhook_endpoints_tenant_id_url_key') throw error;
    throw urlError('This URL already has an endpoint.');
  }
}

function urlError(detail: string): DomainError {
  return invalidRequest(detail, { path: '/url', code: 'url', detail });
}
