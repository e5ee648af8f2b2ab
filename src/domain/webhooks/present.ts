import { Id, Nullable, type Static, Timestamp, Type, Url } from '#src/lib/schema.ts';
import { eventTypes } from '#src/outbox/events.ts';
import { disabledReasons } from './endpoint-health.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

export const deliveryStates = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** An endpoint as its owner sees it; never its secret. */
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
    last_success_at: Nullable(Timestamp),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'WebhookEndpoint' },
);
export type WebhookEndpointView = Static<typeof WebhookEndpointView>;

/** What a row says of an endpoint: an entity has it, and so has what `read-endpoints.ts` reads. */
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
  | 'lastSuccessAt'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
>;

export function presentEndpoint(endpoint: EndpointRecord): WebhookEndpointView {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    concurrency: endpoint.concurrency,
    rate_per_second: endpoint.ratePerSecond ?? null,
    status: endpoint.disabledAt ? 'disabled' : 'enabled',
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    disabled_reason: endpoint.disabledReason ?? null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    version: endpoint.version,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

/** One event for one endpoint, and how far it is. */
export const WebhookDeliveryView = Type.Object(
  {
    id: Id('whd'),
    endpoint_id: Id('whe'),
    event_id: Id('evt'),
    type: Type.Enum(Object.keys(eventTypes)),
    state: Type.Enum([...deliveryStates]),
    attempt_count: Type.Integer({ examples: [1] }),
    next_attempt_at: Nullable(Timestamp),
    last_status: Nullable(Type.Integer({ examples: [200] })),
    last_failure: Nullable(Type.String({ examples: [null] })),
    created_at: Timestamp,
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDeliveryView = Static<typeof WebhookDeliveryView>;

export interface DeliveryRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastFailure: string | null;
  readonly createdAt: Date;
}

export function presentDelivery(delivery: DeliveryRecord): WebhookDeliveryView {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    type: delivery.type,
    state: delivery.state,
    attempt_count: delivery.attemptCount,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    last_status: delivery.lastStatus,
    last_failure: delivery.lastFailure,
    created_at: delivery.createdAt.toISOString(),
  };
}

/** One try, and what came back: an HTTP status and the beginning of the reply, or why none came. */
export const WebhookAttemptView = Type.Object(
  {
    number: Type.Integer({ examples: [1] }),
    at: Timestamp,
    status: Nullable(Type.Integer({ examples: [500] })),
    failure: Nullable(Type.String({ examples: [null] })),
    duration_ms: Type.Integer({ examples: [84] }),
    response: Nullable(Type.String({ examples: ['Internal Server Error'] })),
  },
  { title: 'WebhookAttempt' },
);
export type WebhookAttemptView = Static<typeof WebhookAttemptView>;

export interface AttemptRecord {
  readonly number: number;
  readonly at: Date;
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
  readonly response: string | null;
}

export function presentAttempt({
  number,
  at,
  status,
  failure,
  durationMs,
  response,
}: AttemptRecord): WebhookAttemptView {
  return { number, at: at.toISOString(), status, failure, duration_ms: durationMs, response };
}
