/** How many requests a window admits. `RATE_LIMIT_SCALE` multiplies the counts. */
interface Limit {
  /** Of one shopper: one session, or one client address in one store or at one publishable key. */
  readonly perShopper?: number;
  /** Of one secret key, in all: behind it stands a storefront's server that speaks for many shoppers. */
  readonly perSecretKey?: number;
  /** Of one store, in all. Beyond it the answer is 503: the caller did nothing wrong. */
  readonly perStore?: number;
  readonly seconds: number;
}

const fewPerMinute = { perShopper: 5, seconds: 60 } as const;

/** The one table of rate limits (api.md, "Rate limits"). Operations of one limit are counted together. */
const limits = {
  reads: { perShopper: 300, perSecretKey: 600, seconds: 60 },
  cart: { perShopper: 120, perSecretKey: 600, seconds: 60 },
  promo: { perShopper: 20, perSecretKey: 600, seconds: 60 },
  gift_card: { perShopper: 10, perSecretKey: 600, seconds: 60 },
  checkout_status: { perShopper: 120, perSecretKey: 600, seconds: 60 },
  analytics: { perShopper: 120, seconds: 60 },
  consume: { perShopper: 10, seconds: 60 },
  refresh: { perShopper: 30, seconds: 60 },
  rates: { perShopper: 60, seconds: 60 },
  leads: fewPerMinute,
  reviews: fewPerMinute,
  wholesale: fewPerMinute,
  returns: fewPerMinute,
  partners: fewPerMinute,
  /** What is never refused by count: billing-portal, cart/save, /restore and /unsubscribe, checkout/sessions. */
  ceiling: { perStore: 50, seconds: 1 },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;

export const limitOf = (name: LimitName): Limit => limits[name];
