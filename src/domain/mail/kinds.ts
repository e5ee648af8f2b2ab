import { days, hours, minutes } from '#src/lib/duration.ts';
import type { ShopperAddress } from '../ports/payment-snapshots.ts';

/** How many of something, and how often a subscription to it sends them; null is once. */
export interface MailItem {
  readonly name: string;
  readonly quantity: number;
  readonly subscription_interval: 'month' | 'quarter' | null;
}

/** The data of an email about an order: a part of the order as the API shows it. */
export interface OrderMailData {
  readonly order_number: string;
  readonly status: string;
  readonly currency: string;
  readonly items: readonly (MailItem & { readonly unit_price_cents: number })[];
  readonly subtotal_cents: number;
  readonly discount_cents: number;
  readonly gift_card_cents: number;
  readonly shipping_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly refunded_cents: number;
  readonly shipping_address: ShopperAddress | null;
  readonly shipped_at: string | null;
  /** The parcels: last of all the one that changed last. */
  readonly labels: readonly {
    readonly carrier: string;
    readonly tracking_number: string;
    readonly tracking_url: string | null;
  }[];
}

/** The data of each kind of email. It is stored unencrypted, so it never holds a secret, a token or a code. */
export interface MailData {
  /** The token is derived from `subjectId`, the id of the link. */
  magic_link: { readonly redirect_path: string | null; readonly valid_minutes: number };
  /** The token of both is derived from `subjectId`, the id of the link. */
  staff_sign_in: { readonly valid_minutes: number };
  staff_invitation: { readonly valid_days: number };
  /** The new owner is named on the page Staff alone: here, nothing would find their email to erase it. */
  staff_owner_added: Readonly<Record<string, never>>;
  /** The code is derived as that of `one_time_password`. */
  staff_code: { readonly purpose: string; readonly valid_minutes: number };
  receipt: OrderMailData;
  /** Its items are what is packed. */
  shipped: OrderMailData;
  refunded: OrderMailData & {
    /** What was refunded now: as money, and to the gift card. */
    readonly refund: { readonly amount_cents: number; readonly gift_card_cents: number };
  };
  /** Its tokens are derived from the id of the saved cart (`subjectId`) and from the recipient. */
  abandoned_cart: {
    /** The number of the reminder, starting at 1. */
    readonly step: number;
    readonly currency: string;
    /** The items still on sale at their current price; null where the shopper has yet to choose a variant. */
    readonly items: readonly (MailItem & { readonly total_cents: number | null })[];
  };
  /** The code itself is derived from `subjectId` and `purpose` (see `deriveCode`). */
  one_time_password: { readonly purpose: string; readonly action: string; readonly valid_minutes: number };
  return_update: {
    readonly return_number: string;
    readonly order_number: string;
    readonly status: 'requested' | 'approved' | 'rejected' | 'received' | 'refunded' | 'closed';
    readonly items: readonly { readonly name: string; readonly quantity: number }[];
    readonly note?: string | null;
    /** What was refunded with it: as money, and to the gift card. */
    readonly refund?: { readonly currency: string; readonly amount_cents: number; readonly gift_card_cents: number };
  };
  endpoint_warning: {
    /** Without its query, which may hold a secret. */
    readonly url: string;
    readonly failing_since: string | null;
    readonly disabled: 'failing' | 'gone' | null;
  };
  restock: {
    readonly product_name: string;
    readonly variant_name: string | null;
    readonly path: string;
    readonly image_url: string | null;
  };
  gift: {
    readonly product_name: string;
    readonly months: number;
    readonly recipient_name: string | null;
    readonly giver_name: string | null;
    readonly message: string | null;
  };
}

export type MailKind = keyof MailData;

/** How a kind of email is sent: what happens after an attempt without a response, and how long it is worth sending. */
export interface MailKindRules {
  /**
   * `at_most_once`: unrequested email is not sent again if it may have been sent. `at_least_once`: email that a reader
   * waits for is sent again, with the same Message-ID and content.
   */
  readonly delivery: 'at_most_once' | 'at_least_once';
  /** An older email is not sent any more. */
  readonly staleAfterMs?: number;
  /** A closed store sends only what an order needs, and what its staff need. */
  readonly onlyWhileOpen?: true;
}

export const mailKinds: Readonly<Record<MailKind, MailKindRules>> = {
  magic_link: { delivery: 'at_least_once', staleAfterMs: minutes(15), onlyWhileOpen: true },
  staff_sign_in: { delivery: 'at_least_once', staleAfterMs: minutes(15) },
  staff_invitation: { delivery: 'at_least_once', staleAfterMs: days(3) },
  staff_owner_added: { delivery: 'at_least_once' },
  staff_code: { delivery: 'at_least_once', staleAfterMs: minutes(10) },
  receipt: { delivery: 'at_least_once' },
  shipped: { delivery: 'at_least_once' },
  refunded: { delivery: 'at_least_once' },
  abandoned_cart: { delivery: 'at_most_once', staleAfterMs: hours(24), onlyWhileOpen: true },
  one_time_password: { delivery: 'at_least_once', staleAfterMs: minutes(10) },
  return_update: { delivery: 'at_least_once' },
  endpoint_warning: { delivery: 'at_least_once' },
  restock: { delivery: 'at_most_once', onlyWhileOpen: true },
  gift: { delivery: 'at_least_once' },
};
