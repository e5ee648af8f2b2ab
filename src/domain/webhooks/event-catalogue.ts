import { exampleOf } from '#src/lib/example-of.ts';
import { Id, type Static, Timestamp, type TSchema, Type } from '#src/lib/schema.ts';
import { type EventType, eventTypes } from '#src/outbox/events.ts';
import { apiVersion } from './attempt-batch.ts';
import { objectKinds } from './render-object.ts';

const about: Readonly<Record<EventType, string>> = {
  'order.paid': 'The payment has settled and the order is recorded as paid. The authoritative paid signal.',
  'order.shipped': 'The order is on its way, for the first time.',
  'order.payment_failed': 'A payment that was still on its way has failed.',
  'order.expired': 'Nobody paid in time; what was held for the order is released.',
  'order.refunded': 'Money of the order went back, all or in part.',
  'order.delivered': 'The parcel has arrived.',
  'subscription.created': 'A subscription has begun.',
  'subscription.updated': 'A subscription has changed.',
  'subscription.canceled': 'A subscription has ended.',
  'label.purchased': 'A shipping label was bought.',
  'label.needs_attention': 'A shipping label could not be bought by itself.',
  'return.requested': 'A shopper wants to send something back.',
  'return.updated': 'A return has moved on.',
  'webhook.test': 'A test that the owner of an endpoint asked for. It is about the endpoint itself.',
};

export const WebhookEventTypeView = Type.Object({
  type: Type.Enum(Object.keys(eventTypes)),
  description: Type.String(),
  /** The JSON Schema of the whole body. */
  schema: Type.Unknown(),
  sample: Type.Unknown(),
});
export type WebhookEventTypeView = Static<typeof WebhookEventTypeView>;

/** Every event type there is, with the shape of its body and an example of it. */
export function presentEventTypes(): WebhookEventTypeView[] {
  return typeNames.map((type) => {
    const schema = bodySchema(type);
    return { type, description: about[type], schema, sample: exampleOf(schema) };
  });
}

const typeNames = Object.keys(eventTypes).filter((name): name is EventType => name in eventTypes);

/** The body of an event (protocols.md §5). */
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
