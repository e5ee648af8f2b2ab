import { linksPerClientMax, linksPerEmailMax, linksWindowMs } from '#src/domain/sessions/index.ts';
import { linksPerMemberMax } from '#src/domain/staff/index.ts';
import type { ErrorCode } from './error-codes.ts';

/** How many requests a window admits. `RATE_LIMIT_SCALE` multiplies the counts. */
interface Limit {
  /** Of one shopper: one session, or one client network in one store or at one publishable key. */
  readonly perShopper?: number;
  /**
   * For a secret key without a limit of its own, over all operations that are limited for keys: it belongs to a
   * storefront's server, which sends requests for many shoppers.
   */
  readonly perSecretKey?: number;
  /**
   * For a store without a limit of its own. An operation with such a ceiling is not limited in normal use: it has a
   * window of its own, which counts valid requests, and responds 503 beyond it.
   */
  readonly perStore?: number;
  /** The secret that could be guessed at any of its operations, which are therefore counted together. */
  readonly protects?: string;
  readonly seconds: number;
}

const perSecretKey = 6000;
const fewPerMinute = { perShopper: 5, seconds: 60 } as const;

/** The one table of rate limits. Each operation is counted alone, except where a limit protects a secret. */
const limits = {
  reads: { perShopper: 300, perSecretKey, seconds: 60 },
  orders: { perShopper: 20, perSecretKey, seconds: 60, protects: 'the email address of an order' },
  cart: { perShopper: 120, perSecretKey, seconds: 60 },
  promo: { perShopper: 20, perSecretKey, seconds: 60, protects: 'promo codes' },
  gift_card: { perShopper: 10, perSecretKey, seconds: 60, protects: 'gift-card codes' },
  checkout_status: { perShopper: 120, perSecretKey, seconds: 60 },
  analytics: { perShopper: 120, seconds: 60 },
  consume: { perShopper: 10, seconds: 60 },
  refresh: { perShopper: 30, seconds: 60 },
  account: { perShopper: 60, seconds: 60 },
  staff: { perShopper: 120, seconds: 60 },
  rates: { perShopper: 60, seconds: 60 },
  leads: fewPerMinute,
  reviews: fewPerMinute,
  wholesale: fewPerMinute,
  returns: fewPerMinute,
  partners: fewPerMinute,
  /** The owner's side: held to the limit that a key carries, where it carries one. */
  owner: { seconds: 60 },
  ceiling: { perShopper: 30, perStore: 500, seconds: 1 },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;

export const limitOf = (name: LimitName): Limit => limits[name];

/** How many emails to unconfirmed recipients a window allows. */
interface EmailLimit {
  readonly perShopper: number;
  readonly perRecipient: number;
  /** Of `perRecipient`, for one shopper, so that others do not use up what a recipient may request. */
  readonly perRecipientAndShopper?: number;
  /** Per store, for requests without a secret key. */
  readonly perStore?: number;
  /** Beyond it the response is the same, so that it reveals nothing. */
  readonly isSilent: boolean;
  readonly seconds: number;
}

const day = 86_400;

const links = {
  perShopper: linksPerClientMax,
  perRecipient: linksPerEmailMax,
  isSilent: true,
  seconds: linksWindowMs / 1000,
} as const;

/** The one table of what callers may cause to be emailed. Operations of one limit are counted together. */
const emailLimits = {
  links,
  /** Customers and staff are counted apart, as their links are. */
  staff_links: { ...links, perRecipient: linksPerMemberMax, perRecipientAndShopper: linksPerEmailMax },
  reminders: { perShopper: 200, perRecipient: 30, perStore: 20_000, isSilent: true, seconds: day },
  waitlist: { perShopper: 50, perRecipient: 20, perStore: 20_000, isSilent: false, seconds: day },
} as const satisfies Record<string, EmailLimit>;

export type EmailLimitName = keyof typeof emailLimits;

export const emailLimitOf = (name: EmailLimitName): EmailLimit => emailLimits[name];

/** A code, or the email of an order, in a body's field that could be guessed. */
export interface Guess {
  readonly field: string;
  /** The limit of where the code can be previewed, or the order be found: wrong ones count there. */
  readonly limit: LimitName;
  /** The error code of a wrong guess. */
  readonly wrong: ErrorCode;
}
