import { readPage } from '#src/database/read-page.ts';
import { read } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type, Url } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { disabledReasons, type WebhookEndpoint } from './webhook-endpoint.ts';

/** The endpoint with this id, as its owner sees it. */
export async function readEndpoint(ctx: Context, id: string): Promise<EndpointRecord | undefined> {
  const [endpoint] = await readEndpoints(ctx, [id]);
  return endpoint;
}

export async function readEndpoints(ctx: Context, ids: readonly string[]): Promise<EndpointRecord[]> {
  return read<EndpointRecord>(
    ctx,
    sql`
    select ${endpointColumns} from webhook_endpoints where tenant_id = ${ctx.tenant.id} and id = any(${ids})`,
  );
}

/**
 * A store's endpoints, newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listEndpoints(ctx: Context, page: PageRequest): Promise<Page<EndpointRecord>> {
  return readPage<EndpointRecord>(
    ctx,
    { name: 'webhook_endpoints', columns: ['id'], descending: true },
    page,
    (position) => sql`
    select ${endpointColumns}${position}
    from webhook_endpoints where tenant_id = ${ctx.tenant.id}`,
  );
}

const endpointColumns: Sql = sql`
  id, url, events, concurrency, rate_per_second as "ratePerSecond", disabled_at as "disabledAt",
  disabled_reason as "disabledReason", failing_since as "failingSince", breaker_open_until as "breakerOpenUntil",
  last_success_at as "lastSuccessAt", version, created_at as "createdAt", updated_at as "updatedAt"`;

/** An endpoint as its owner sees it, without its secret. */
export const WebhookEndpointView = Type.Object(
  {
    id: Id('whe'),
    url: Url,
    events: Type.Array(Type.String(), { examples: [['order.paid', 'subscription.*']] }),
    concurrency: Type.Integer({ examples: [4] }),
    rate_per_second: Nullable(Type.Integer({ examples: [null] })),
    status: Type.Enum(['enabled', 'disabled']),
    disabled_at: Nullable(Timestamp),
    disabled_reason: Nullable(Type.Enum([...disabledReasons])),
    failing_since: Nullable(Timestamp),
    /** While it is paused, because deliveries failed in a row: when one is attempted again. */
    paused_until: Nullable(Timestamp),
    last_success_at: Nullable(Timestamp),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'WebhookEndpoint' },
);
export type WebhookEndpointView = Static<typeof WebhookEndpointView>;

/** The columns of an endpoint that are shown: both the entity and the rows read here have them. */
export type EndpointRecord = Pick<
  WebhookEndpoint,
  | 'id'
  | 'url'
  | 'events'
  | 'concurrency'
  | 'ratePerSecond'
  | 'disabledAt'
  | 'disabledReason'
  | 'failingSince'
  | 'breakerOpenUntil'
  | 'lastSuccessAt'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
>;

export function presentEndpoint({ clock }: Pick<Context, 'clock'>, endpoint: EndpointRecord): WebhookEndpointView {
  const { disabledAt, breakerOpenUntil: until } = endpoint;
  return presentAs(WebhookEndpointView, {
    ...endpoint,
    status: disabledAt ? 'disabled' : 'enabled',
    pausedUntil: !disabledAt && until && until > clock.now() ? until : null,
  });
}
