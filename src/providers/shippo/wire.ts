import type {
  LabelPurchase,
  PurchaseFailure,
  Quote,
  Rate,
  TrackingStatus,
  TrackingUpdate,
} from '#src/domain/ports/shipping-gateway.ts';
import { fromDecimal } from '#src/lib/currency.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';

/*
 * The parts of Shippo's responses that are read. Only what is needed is required, and values that Shippo may add later
 * are accepted: the SDK's closed lists have rejected responses of labels that were already bought.
 */

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

const MessageWire = Type.Object({ code: text, text: text, source: text });

export const TransactionWire = Type.Object({
  object_id: Type.String({ minLength: 1 }),
  status: Type.String(),
  object_created: text,
  rate: Type.Optional(Type.Unknown()),
  metadata: text,
  tracking_number: text,
  tracking_url_provider: text,
  label_url: text,
  messages: Type.Optional(Type.Unknown()),
});
export type TransactionWire = Static<typeof TransactionWire>;

export const TransactionsWire = Type.Object({ next: text, results: Type.Array(TransactionWire) });

export const RefundWire = Type.Object({ status: text });

export const RateWire = Type.Object({
  object_id: Type.String({ minLength: 1 }),
  object_created: Type.String(),
  shipment: Type.String(),
  amount: Type.String({ pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$' }),
  currency: Type.String(),
  provider: Type.String(),
  carrier_account: text,
  servicelevel: Type.Object({ name: text, token: text }),
  estimated_days: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  attributes: Type.Optional(Type.Array(Type.String())),
});
export type RateWire = Static<typeof RateWire>;

export const ShipmentWire = Type.Object({
  object_id: Type.String({ minLength: 1 }),
  status: Type.String(),
  rates: Type.Array(Type.Unknown()),
  messages: Type.Optional(Type.Unknown()),
});

export const QuotedShipmentWire = Type.Object({ metadata: text });

export const CarrierAccountsWire = Type.Object({
  next: text,
  results: Type.Array(
    Type.Object({ object_id: Type.String(), carrier: Type.String(), active: Type.Optional(Type.Boolean()) }),
  ),
});

export const TrackWire = Type.Object({
  tracking_status: Type.Optional(Type.Union([Type.Null(), Type.Object({ status: Type.String(), status_date: text })])),
});
export type TrackWire = Static<typeof TrackWire>;

const purchaseStates: Partial<Record<string, LabelPurchase['state']>> = {
  SUCCESS: 'purchased',
  ERROR: 'failed',
  REFUNDED: 'refunded',
  REFUNDPENDING: 'refunding',
  REFUNDREJECTED: 'refund_rejected',
};

/** A transaction as a purchase. An unknown status counts as undecided. */
export function purchaseOf(wire: TransactionWire): LabelPurchase {
  const state = purchaseStates[wire.status] ?? 'undecided';
  return {
    id: wire.object_id,
    state,
    rateId: rateIdOf(wire.rate),
    marker: wire.metadata ?? '',
    trackingNumber: wire.tracking_number || null,
    trackingUrl: wire.tracking_url_provider || null,
    labelUrl: wire.label_url || null,
    failure: state === 'failed' ? failureOf(wire.messages) : null,
    createdAt: dateOf(wire.object_created),
  };
}

/** Amounts are decimal text and are converted to cents without floating point. */
export function rateOf(wire: RateWire, carriers: ReadonlyMap<string, string>): Rate {
  return {
    id: wire.object_id,
    shipmentId: wire.shipment,
    carrier: carriers.get(wire.carrier_account ?? '') ?? carrierNamed(wire.provider),
    carrierName: wire.provider,
    service: wire.servicelevel.name ?? wire.servicelevel.token ?? '',
    serviceCode: wire.servicelevel.token ?? '',
    amountCents: fromDecimal(wire.amount, wire.currency),
    currency: wire.currency,
    estimatedDays: wire.estimated_days ?? null,
    attributes: (wire.attributes ?? []).map((attribute) => attribute.toLowerCase()),
    createdAt: new Date(wire.object_created),
  };
}

/** Why a shipment got no rates, classified by its messages. */
export function quoteRejectionOf(messages: unknown): Quote['rejection'] {
  const texts = textsOf(messages);
  const kind = texts.some(isAboutDestination) ? 'address' : texts.some(isAboutParcel) ? 'parcel' : 'other';
  return { kind, detail: detailOf(texts) };
}

const trackingStatuses: Partial<Record<string, TrackingStatus>> = {
  PRE_TRANSIT: 'pre_transit',
  TRANSIT: 'transit',
  DELIVERED: 'delivered',
  RETURNED: 'returned',
  FAILURE: 'failure',
};

export function trackingOf(wire: TrackWire): TrackingUpdate {
  const step = wire.tracking_status;
  return { status: trackingStatuses[step?.status ?? ''] ?? 'unknown', at: dateOf(step?.status_date) };
}

/** `DHL Express` is the carrier `dhl_express`. */
function carrierNamed(provider: string): string {
  return provider
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}

const NamedRate = Type.Object({ object_id: Type.String() });

function rateIdOf(rate: unknown): string | null {
  if (typeof rate === 'string') return rate;
  return fits(NamedRate, rate) ? rate.object_id : null;
}

function dateOf(iso: string | null | undefined): Date | null {
  const date = new Date(iso ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** The order matters: funds before addresses, because a billing address is not the shopper's. */
function failureOf(messages: unknown): PurchaseFailure {
  const texts = textsOf(messages);
  const says = (pattern: RegExp) => texts.some((text) => pattern.test(text));
  const kind = says(/insufficient|funds|payment method|billing/i)
    ? 'funds'
    : texts.some(isAboutDestination)
      ? 'address'
      : says(/timed? ?-?out|temporar|unavailable|try again|too many|overload|\b50[0234]\b/i)
        ? 'temporary'
        : 'carrier';
  return { kind, detail: detailOf(texts) };
}

const isAboutDestination = (text: string) =>
  !/address_from|origin|sender|shipper/i.test(text) &&
  /address|postal|\bzip|street|\bcity\b|recipient|consignee|destination/i.test(text);

const isAboutParcel = (text: string) => /weight|dimension|parcel|package|too (large|heavy)/i.test(text);

function textsOf(messages: unknown): string[] {
  if (!Array.isArray(messages)) return [];
  return messages
    .map((message) => {
      if (typeof message === 'string') return message;
      return fits(MessageWire, message) ? [message.code, message.text].filter(Boolean).join(': ') : '';
    })
    .filter(Boolean);
}

const detailMax = 300;
const detailOf = (texts: readonly string[]) => texts.join(' ').slice(0, detailMax);
