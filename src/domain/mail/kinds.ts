import { hours, minutes } from '#src/lib/duration.ts';

/** What a mail about an order is made of: an order as the API shows it has all of it, and more. */
export interface OrderMailData {
  readonly order_number: string;
  readonly currency: string;
  readonly items: readonly { readonly name: string; readonly quantity: number; readonly unit_price_cents: number }[];
  readonly subtotal_cents: number;
  readonly discount_cents: number;
  readonly gift_card_cents: number;
  readonly shipping_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly shipping_address: PostalAddress | null;
  readonly labels: readonly {
    readonly carrier: string;
    readonly tracking_number: string;
    readonly tracking_url: string | null;
  }[];
}

export interface PostalAddress {
  readonly name: string | null;
  readonly street1: string | null;
  readonly street2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
  readonly country: string | null;
}

/** What each kind of mail is made of: stored with the mail in clear, so never a secret, a token or a code. */
export interface MailData {
  /** The token is derived from the mail's subject, the id of the link. */
  magic_link: { readonly redirect_path: string | null; readonly valid_minutes: number };
  receipt: OrderMailData;
  shipped: OrderMailData;
  /** About a saved cart; its tokens are derived from the id of the cart and from the address. */
  abandoned_cart: {
    /** Which of the reminders it is, from 1 on. */
    readonly step: number;
    readonly currency: string;
    /** What can still be bought, at what it costs now; null where the shopper has yet to choose. */
    readonly items: readonly {
      readonly name: string;
      readonly quantity: number;
      readonly total_cents: number | null;
    }[];
  };
  /** The code itself is derived from the mail's subject, with `purpose` (see `deriveCode`). */
  one_time_password: { readonly purpose: string; readonly action: string; readonly valid_minutes: number };
  return_update: {
    readonly return_number: string;
    readonly order_number: string;
    readonly status: 'requested' | 'approved' | 'rejected' | 'received' | 'refunded' | 'closed';
    readonly items: readonly { readonly name: string; readonly quantity: number }[];
    readonly note?: string | null;
  };
  endpoint_warning: {
    /** Without its query, which may hold a secret. */
    readonly address: string;
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

/** How a kind of mail behaves when a try ended without an answer, and how long it is worth sending. */
export interface MailKindRules {
  /**
   * `at_most_once`: what nobody asked for is rather not sent than sent twice. `at_least_once`: what somebody waits
   * for is sent again, with the same Message-ID and content (protocols.md §6).
   */
  readonly delivery: 'at_most_once' | 'at_least_once';
  /** After this time the mail would only confuse: it is given up. */
  readonly staleAfterMs?: number;
}

export const mailKinds: Readonly<Record<MailKind, MailKindRules>> = {
  magic_link: { delivery: 'at_least_once', staleAfterMs: minutes(15) },
  receipt: { delivery: 'at_least_once' },
  shipped: { delivery: 'at_least_once' },
  abandoned_cart: { delivery: 'at_most_once', staleAfterMs: hours(24) },
  one_time_password: { delivery: 'at_least_once', staleAfterMs: minutes(10) },
  return_update: { delivery: 'at_least_once' },
  endpoint_warning: { delivery: 'at_least_once' },
  restock: { delivery: 'at_most_once' },
  gift: { delivery: 'at_least_once' },
};
