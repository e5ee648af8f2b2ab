import { sql } from '#src/lib/sql.ts';
import type { TraceCarrier } from '#src/lib/tracing.ts';

/**
 * The types of events that endpoints can subscribe to, each with the kind of object that it is about. A shipped type
 * never changes.
 *
 * A new type is added here and described in `domain/webhooks/event-catalogue.ts`; a new kind of object is also read in
 * `domain/webhooks/render-object.ts`. The operation that makes it true calls `recordEvent` in its transaction.
 */
export const eventTypes = {
  'order.paid': 'order',
  'order.shipped': 'order',
  'order.payment_failed': 'order',
  'order.expired': 'order',
  'order.refunded': 'order',
  'order.delivered': 'order',
  'order.disputed': 'order',
  'order.dispute_closed': 'order',
  'order.updated': 'order',
  'subscription.created': 'subscription',
  'subscription.updated': 'subscription',
  'subscription.canceled': 'subscription',
  'label.purchased': 'label',
  'label.needs_attention': 'label',
  'label.voided': 'label',
  'label.skipped': 'label',
  'return.requested': 'return',
  'return.updated': 'return',
  'customer.erased': 'customer',
  'webhook.test': 'webhook_endpoint',
} as const;

export type EventType = keyof typeof eventTypes;
export type EventObjectKind = (typeof eventTypes)[EventType];

/** Whether this release knows a type of events: a newer one, that runs beside it or ran before it, may have more. */
export function isKnownType(type: string): boolean {
  return Object.hasOwn(eventTypes, type);
}

/**
 * Something that happened, and to what, with the columns of its row. It holds no copy of the object: receivers get it
 * as it is at the attempt.
 */
export interface RecordedEvent {
  readonly id: string;
  readonly tenant_id: string;
  readonly type: EventType;
  readonly object_id: string;
  readonly at: Date;
  /** When its deliveries are due. */
  readonly due_at: Date;
  readonly request_id: string | null;
  readonly trace: TraceCarrier;
}

/**
 * Whether an endpoint is subscribed to an event of its store, as a condition on `webhook_endpoints endpoint` and
 * `event`: to the type, or to all of its kind (`order.*`). A test event goes only to the endpoint that it is about.
 */
export const isSubscribedTo = sql`
  case
    when event.type = 'webhook.test' then endpoint.id = event.object_id
    else endpoint.events ?| array[event.type, split_part(event.type, '.', 1) || '.*']
  end`;
