import { exampleOf } from '#src/lib/example-of.ts';
import { Id, type Static, Timestamp, type TSchema, Type } from '#src/lib/schema.ts';
import { type EventType, eventTypes } from '#src/outbox/events.ts';
import { apiVersion } from './delivery-request.ts';
import { objectKinds } from './render-object.ts';

const descriptions: Readonly<Record<EventType, string>> = {
  'order.paid': 'The payment has arrived and the order is recorded as paid. The authoritative paid signal.',
  'order.shipped': 'The first parcel of the order is on its way.',
  'order.payment_failed': 'A pending payment has failed.',
  'order.expired': 'The order was not paid in time. Its stock, promo codes and gift cards are released.',
  'order.refunded': 'The order was refunded, fully or in part.',
  'order.delivered': 'The parcel was delivered.',
  'order.disputed':
    "The shopper's bank disputes the payment, or inquires about it. Respond at the payment provider before its deadline.",
  'order.dispute_closed': 'No dispute of the payment is open any more: `dispute_status` is `won` or `lost`.',
  'order.updated':
    'A paid order has changed in a way that no other event of it or of its label says: its address, its parcels, its ' +
    'fulfillment, or a refund that failed. Or the personal data of an order, paid or not, was erased.',
  'subscription.created': 'A subscription has begun.',
  'subscription.updated': 'A subscription has changed.',
  'subscription.canceled': 'A subscription has ended.',
  'label.purchased': 'A shipping label was bought.',
  'label.needs_attention': 'A shipping label could not be bought automatically.',
  'label.voided': 'A shipping label was voided. Its parcel must not be sent.',
  'label.skipped': 'No shipping label is bought after all: the order was sent by hand, or refunded.',
  'return.requested': 'A shopper requested a return.',
  'return.updated': 'The status of a return has changed.',
  'customer.erased':
    'The personal data of a customer was erased: erase your copy, too. The orders, returns and subscriptions have events ' +
    'of their own.',
  'webhook.test': 'A test event that the owner requested. Its object is the endpoint itself.',
};

export const WebhookEventTypeView = Type.Object({
  type: Type.Enum(Object.keys(eventTypes)),
  description: Type.String(),
  /** The JSON Schema of the whole body. */
  schema: Type.Unknown(),
  sample: Type.Unknown(),
});
export type WebhookEventTypeView = Static<typeof WebhookEventTypeView>;

/** Every event type with the JSON Schema of its body and an example. */
export function presentEventTypes(): WebhookEventTypeView[] {
  return typeNames.map((type) => {
    const schema = bodySchema(type);
    return { type, description: descriptions[type], schema, sample: exampleOf(schema) };
  });
}

const typeNames = Object.keys(eventTypes).filter((name): name is EventType => name in eventTypes);

/** The schema of what `attemptBatch` sends. */
function bodySchema(type: EventType): TSchema {
  const object = objectKinds[eventTypes[type]].schema;
  return Type.Object({
    id: Id('evt'),
    type: Type.Literal(type, { examples: [type] }),
    timestamp: Timestamp,
    api_version: Type.Literal(apiVersion, { examples: [apiVersion] }),
    tenant: Type.String({ examples: ['cedar-and-clay'] }),
    livemode: Type.Boolean({ examples: [true] }),
    data: Type.Object({ object, object_version: Type.Integer({ examples: [3] }) }),
  });
}
