import { sql } from '#src/lib/sql.ts';

/**
 * What happens in a shop that others may want to hear of: the names that endpoints subscribe to, and the kind of
 * object that each is about. A shipped name is never changed.
 */
export const eventTypes = {
  'order.paid': 'order',
  'order.shipped': 'order',
  'order.payment_failed': 'order',
  'order.expired': 'order',
  'order.refunded': 'order',
  'order.delivered': 'order',
  'subscription.created': 'subscription',
  'subscription.updated': 'subscription',
  'subscription.canceled': 'subscription',
  'label.purchased': 'label',
  'label.needs_attention': 'label',
  'return.requested': 'return',
  'return.updated': 'return',
  'webhook.test': 'webhook_endpoint',
} as const;

export type EventType = keyof typeof eventTypes;
export type EventObjectKind = (typeof eventTypes)[EventType];

/** Something that happened, and to what. It holds no copy of the object: receivers get it as it is at the attempt. */
export interface RecordedEvent {
  readonly id: string;
  readonly tenantId: string;
  readonly type: EventType;
  readonly objectId: string;
  readonly at: Date;
}

/**
 * Whether an endpoint is to be told of an event of its store, as a condition on `webhook_endpoints endpoint` and `event`:
 * it chose the type, or all of its kind (`order.*`). A test goes to the endpoint that it is about and to no other.
 */
export const isSubscribedTo = sql`
  case
    when event.type = 'webhook.test' then endpoint.id = event.object_id
    else endpoint.events ?| array[event.type, split_part(event.type, '.', 1) || '.*']
  end`;

/**
 * Whether any endpoint is, as a condition on `event`. This is all that the outbox knows of a table of the shop's: the
 * statement that records an event asks it on the way. From above it would have to be handed through every connection,
 * and a view or a function in between would only give the same table another name.
 */
export const hasSubscriber = sql`
  exists (select from webhook_endpoints endpoint where endpoint.tenant_id = event.tenant_id and ${isSubscribedTo})`;
