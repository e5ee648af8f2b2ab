import {
  centsMax,
  DocumentedAs,
  Omittable,
  OmittableOrEmpty,
  type Static,
  Text,
  Timestamp,
  Type,
} from '#src/lib/schema.ts';

/**
 * The types that are counted separately. All others are counted together, so that clients cannot make the roll-ups
 * grow.
 */
export const coreTypes = [
  'page_viewed',
  'product_viewed',
  'search_performed',
  'cart_item_added',
  'cart_item_removed',
  'checkout_started',
  'checkout_returned',
  'lead_captured',
  'client_purchase',
  'order_paid',
] as const;

/** A sale in the store's ledger. Clients cannot send this type. */
export const paidType = 'order_paid';

/** A client's event about a sale is stored with this type instead, and never counts as revenue. */
export const claimedType = 'client_purchase';

/** The steps of the funnel in order, with their event types. */
export const funnelSteps = [
  { step: 'viewed', type: 'product_viewed' },
  { step: 'cart', type: 'cart_item_added' },
  { step: 'checkout', type: 'checkout_started' },
  { step: 'paid', type: paidType },
] as const;

/** An event in a storefront, as a page sends it. */
export const EventInput = Type.Object(
  {
    event_id: Omittable(
      Type.String({
        pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
        description: 'A UUID. An event that is sent repeatedly is counted once.',
        examples: ['0b1f9a52-6f3e-4d7c-9a55-2f0c8e1d7b64'],
      }),
    ),
    type: Type.String({ pattern: '^[a-z0-9_.]{1,64}$', examples: ['product_viewed'] }),
    occurred_at: Omittable(Timestamp),
    session_id: OmittableOrEmpty(Text(128)),
    anonymous_id: OmittableOrEmpty(Text(128)),
    customer_id: OmittableOrEmpty(Text(128)),
    order_id: OmittableOrEmpty(Text(128)),
    cart_id: OmittableOrEmpty(Text(128)),
    product_slug: OmittableOrEmpty(Text(128)),
    variant_id: OmittableOrEmpty(Text(128)),
    value_cents: Omittable(Type.Integer({ minimum: 0, maximum: centsMax })),
    currency: OmittableOrEmpty(Type.String({ pattern: '^[A-Za-z]{3}$', examples: ['USD'] })),
    properties: Omittable(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Any JSON object, at most 4 KB.' }),
    ),
  },
  { title: 'AnalyticsEvent' },
);
export type EventInput = Static<typeof EventInput>;

/**
 * The body of POST /analytics/events. Its schema leaves the events open, because each one is validated separately: an
 * invalid event is listed in the response and does not affect the others.
 */
export const EventsInput = Type.Object(
  {
    events: Type.Array(
      DocumentedAs(EventInput, {
        description:
          'The funnel counts `product_viewed`, `cart_item_added` and `checkout_started`. The service itself records paid ' +
          'orders.',
        examples: [
          {
            event_id: '019012ab-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
            type: 'product_viewed',
            occurred_at: '2026-11-20T12:00:00.000Z',
            session_id: 's-41f8',
            product_slug: 'oak-bowl',
            properties: { list: 'new' },
          },
        ],
      }),
      { minItems: 1 },
    ),
    sent_at: Omittable(
      Type.String({
        maxLength: 40,
        description: "The sender's current time. It is used to correct `occurred_at` if the sender's clock is wrong.",
        examples: ['2026-11-20T12:00:01.000Z'],
      }),
    ),
  },
  { title: 'AnalyticsEvents' },
);
export type EventsInput = Static<typeof EventsInput>;

export const EventsReceipt = Type.Object({
  accepted: Type.Integer({ minimum: 0 }),
  rejected: Type.Array(
    Type.Object({ index: Type.Integer({ minimum: 0 }), code: Type.String(), detail: Type.String() }),
    {
      examples: [[{ index: 3, code: 'pattern', detail: '/type must be written like product_viewed' }]],
    },
  ),
});
export type EventsReceipt = Static<typeof EventsReceipt>;
