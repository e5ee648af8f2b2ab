/** A store's account at the shipping provider, decrypted for one use. Never logged or stored unencrypted. */
export interface ShippingAccount {
  /** The owner of the account: circuit breakers and carrier lists are kept by tenant. */
  readonly tenantId: string;
  readonly apiKey: string;
}

/** The address of a sender or a recipient. A quote needs only the country, and within the US the zip. */
export interface PostalAddress {
  readonly name?: string | null;
  readonly street1?: string | null;
  readonly street2?: string | null;
  readonly city?: string | null;
  readonly state?: string | null;
  readonly zip?: string | null;
  readonly country: string;
  readonly phone?: string | null;
  readonly email?: string | null;
}

/** A packed parcel, in inches and ounces. */
export interface Parcel {
  readonly lengthIn: number;
  readonly widthIn: number;
  readonly heightIn: number;
  readonly weightOz: number;
}

/** One line of a customs declaration. `weightOz` and `valueCents` are totals of the line. */
export interface CustomsItem {
  readonly description: string;
  readonly quantity: number;
  readonly weightOz: number;
  readonly valueCents: number;
  readonly currency: string;
}

/** What is declared to customs of a parcel that crosses a border, or goes to US military mail or a US territory. */
export interface CustomsDeclaration {
  readonly signer: string;
  readonly items: readonly CustomsItem[];
  /** Why goods that leave the US need not be filed with its customs; `null` where they leave another country. */
  readonly exemption: 'low_value' | 'to_canada' | null;
}

export interface QuoteRequest {
  readonly from: PostalAddress;
  readonly to: PostalAddress;
  readonly parcel: Parcel;
  /** The carriers to quote, such as `usps`; empty quotes all carriers of the account. */
  readonly carriers: readonly string[];
  /** What the quote is for, in at most 100 characters. It is returned with each of its rates. */
  readonly marker?: string;
  /** For labels that need it. */
  readonly customs?: CustomsDeclaration;
}

/** A carrier's offer, which can be bought for a week. */
export interface Rate {
  readonly id: string;
  readonly shipmentId: string;
  /** As the store's settings name it: `usps`. */
  readonly carrier: string;
  /** As people write it: `USPS`. */
  readonly carrierName: string;
  readonly service: string;
  readonly serviceCode: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly estimatedDays: number | null;
  readonly attributes: readonly string[];
  readonly createdAt: Date;
}

export interface Quote {
  /** Whether any of the requested carriers is active in the account. */
  readonly hasActiveCarrier: boolean;
  readonly rates: readonly Rate[];
  /** Why there are no rates, where the provider reports it. `detail` is for operators. */
  readonly rejection: { readonly kind: 'address' | 'parcel' | 'other'; readonly detail: string } | null;
}

/** Why a carrier did not sell a label. `detail` is for operators: it may repeat parts of an address. */
export interface PurchaseFailure {
  readonly kind: 'address' | 'funds' | 'temporary' | 'carrier';
  readonly detail: string;
}

/** The state of one purchase of a label. */
export interface LabelPurchase {
  readonly id: string;
  /** `undecided`: the provider has not decided, or its status is not one that we know: fetch it again later. */
  readonly state: 'purchased' | 'undecided' | 'failed' | 'refunding' | 'refunded' | 'refund_rejected';
  readonly rateId: string | null;
  /** The marker that we sent with it. */
  readonly marker: string;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  readonly labelUrl: string | null;
  readonly failure: PurchaseFailure | null;
  readonly createdAt: Date | null;
}

export const trackingStatuses = ['unknown', 'pre_transit', 'transit', 'failure', 'delivered', 'returned'] as const;
export type TrackingStatus = (typeof trackingStatuses)[number];

export interface TrackingUpdate {
  readonly status: TrackingStatus;
  readonly at: Date | null;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * The shipping provider. Every method throws ProviderError; `away` means that the request may have had its effect. The
 * provider has no idempotency keys: look up an open purchase before buying again.
 */
export interface ShippingGateway {
  /** Whether the provider accepts the credentials. */
  checkAccount(account: ShippingAccount, options?: CallOptions): Promise<void>;
  quote(account: ShippingAccount, request: QuoteRequest, options?: CallOptions): Promise<Quote>;
  /** A rate, and the marker of the quote that it came with. */
  fetchRate(
    account: ShippingAccount,
    rateId: string,
    options?: CallOptions,
  ): Promise<{ readonly rate: Rate; readonly marker: string }>;
  /** Buy the label of a rate. `marker` (at most 100 characters) comes back with the purchase. */
  buyLabel(
    account: ShippingAccount,
    order: { rateId: string; marker: string },
    options?: CallOptions,
  ): Promise<LabelPurchase>;
  /** Every purchase of a rate, oldest first. */
  findPurchases(account: ShippingAccount, rateId: string, options?: CallOptions): Promise<readonly LabelPurchase[]>;
  /** Every purchase of the account since a time, newest first. */
  listPurchases(account: ShippingAccount, since: Date, options?: CallOptions): Promise<readonly LabelPurchase[]>;
  fetchPurchase(account: ShippingAccount, purchaseId: string, options?: CallOptions): Promise<LabelPurchase>;
  /** Refund a label. Requesting the refund again is harmless. */
  refundPurchase(account: ShippingAccount, purchaseId: string, options?: CallOptions): Promise<void>;
  /** Register a parcel for tracking that was not bought here. */
  follow(
    account: ShippingAccount,
    parcel: { carrier: string; trackingNumber: string },
    options?: CallOptions,
  ): Promise<TrackingUpdate>;
  track(
    account: ShippingAccount,
    parcel: { carrier: string; trackingNumber: string },
    options?: CallOptions,
  ): Promise<TrackingUpdate>;
}

/** A second provider, whose credentials are only stored and checked. */
export type ShippingConnection = Pick<ShippingGateway, 'checkAccount'>;
