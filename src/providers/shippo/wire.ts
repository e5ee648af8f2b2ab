import { type Static, Type } from '#src/lib/schema.ts';

/*
 * What we read of Shippo's answers, as they travel. Only what we need is asked for, and words that Shippo may yet
 * invent are let through: the SDK's own closed lists have refused labels that were already bought.
 */

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

export const MessageWire = Type.Object({ code: text, text: text, source: text });

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

export const TransactionsWire = Type.Object({ results: Type.Array(TransactionWire) });

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
