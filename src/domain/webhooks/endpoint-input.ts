import { Omittable, type Static, Type, Url } from '#src/lib/schema.ts';
import { eventTypes } from '#src/outbox/events.ts';
import { secretPattern } from './signing.ts';

/** `webhook.test` always reaches the endpoint under test, so it cannot be subscribed to. */
const chosenTypes = Object.keys(eventTypes).filter((type) => type !== 'webhook.test');
const families = [...new Set(chosenTypes.map((type) => `${type.split('.')[0]}.*`))];

/** An event type, or a family of them such as `order.*`. */
const EventFilter = Type.Enum([...chosenTypes, ...families], { examples: ['order.paid'] });

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
  description: 'How many requests may be in flight at once.',
});
const RatePerSecond = Type.Integer({
  minimum: 1,
  maximum: 1000,
  examples: [50],
  description: 'How many requests may start per second. No limit when omitted.',
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
