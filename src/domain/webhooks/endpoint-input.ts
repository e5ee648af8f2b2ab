import { Omittable, type Static, Type, Url } from '#src/lib/schema.ts';
import { eventTypes } from '#src/outbox/events.ts';
import { secretPattern } from './signing.ts';

/** A test reaches the endpoint that it is for whatever it chose, so nobody chooses it. */
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
  description: 'How many requests may begin in a second. Without it there is no limit.',
});

/** What an owner says of a new endpoint. */
export const EndpointInput = Type.Object({
  url: Url,
  events: Events,
  concurrency: Type.Optional(Concurrency),
  rate_per_second: Omittable(RatePerSecond),
});
export type EndpointInput = Static<typeof EndpointInput>;

/** What an owner changes of an endpoint: whatever is left out stays. */
export const EndpointPatch = Type.Partial(EndpointInput);
export type EndpointPatch = Static<typeof EndpointPatch>;

/** An endpoint in a store file, which may bring its own secret. It is known by its address. */
export const EndpointEntry = Type.Object({
  ...EndpointInput.properties,
  secret: Type.Optional(
    Type.String({
      pattern: secretPattern,
      description: 'whsec_ and base64 of 16 to 64 bytes. Without it one is made.',
    }),
  ),
});
export type EndpointEntry = Static<typeof EndpointEntry>;
