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
