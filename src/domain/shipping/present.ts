import { presentAs } from '#src/lib/present-as.ts';
import { Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import type { Rate } from '../ports/shipping-gateway.ts';
import { type ChosenRate, type Label, labelStates } from './label.ts';
import { isReasonCode, reasonCodes, reasons, remedies } from './label-reasons.ts';

export const RateView = Type.Object(
  {
    id: Type.String(),
    carrier: Type.String({ examples: ['usps'] }),
    service: Type.String({ examples: ['Ground Advantage'] }),
    service_code: Type.String({ examples: ['usps_ground_advantage'] }),
    amount_cents: Type.Integer({ examples: [842] }),
    currency: Type.String({ examples: ['USD'] }),
    estimated_days: Nullable(Type.Number({ examples: [3] })),
    attributes: Type.Array(Type.String({ examples: ['cheapest'] })),
  },
  { title: 'ShippingRate' },
);
export type RateView = Static<typeof RateView>;

export const RateQuote = Type.Object({
  rates: Type.Array(RateView),
  cheapest_rate_id: Nullable(Type.String()),
  cached: Type.Boolean({ description: 'Whether the rates come from the cache: they are cached for ten minutes.' }),
  expires_at: Timestamp,
});
export type RateQuote = Static<typeof RateQuote>;

export function presentRate(rate: Rate): RateView {
  return presentAs(RateView, rate);
}

/** A label as the admin API and the webhooks show it. */
export const LabelView = Type.Object(
  {
    id: Type.String({ examples: ['lbl_01m7xfs208fk1sctzyr3afnpz3'] }),
    order_id: Type.String(),
    order_number: Type.String({ examples: ['ORD-1001'] }),
    state: Type.Enum([...labelStates]),
    reason_code: Nullable(Type.Enum([...reasonCodes])),
    reason: Nullable(Type.String({ description: 'What happened.' })),
    next: Nullable(Type.String({ description: 'What to do about it.' })),
    remedy: Nullable(Type.Enum([...remedies], { description: 'The action that helps.' })),
    carrier: Nullable(Type.String({ examples: ['usps'] })),
    service: Nullable(Type.String({ examples: ['Ground Advantage'] })),
    amount_cents: Nullable(Type.Integer({ examples: [842] })),
    currency: Nullable(Type.String({ examples: ['USD'] })),
    tracking_number: Nullable(Type.String()),
    tracking_url: Nullable(Type.String()),
    label_url: Nullable(Type.String()),
    tries: Type.Integer(),
    next_attempt_at: Nullable(Timestamp),
    version: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
    purchased_at: Nullable(Timestamp),
  },
  { title: 'Label' },
);
export type LabelView = Static<typeof LabelView>;

/** The columns of a label that are shown. */
export interface LabelRecord
  extends Pick<
    Label,
    'id' | 'orderId' | 'orderNumber' | 'state' | 'failedAttempts' | 'version' | 'createdAt' | 'updatedAt'
  > {
  readonly reasonCode: LabelView['reason_code'];
  readonly rate: ChosenRate | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  readonly labelUrl: string | null;
  readonly nextAttemptAt: Date | null;
  readonly purchasedAt: Date | null;
}

export function presentLabel(label: LabelRecord): LabelView {
  const { reasonCode, rate, failedAttempts: tries } = label;
  const advice = isReasonCode(reasonCode) ? reasons[reasonCode] : undefined;
  return presentAs(LabelView, {
    ...label,
    reason: advice?.message,
    next: advice?.next,
    remedy: advice?.remedy,
    carrier: rate?.carrier,
    service: rate?.service,
    amountCents: rate?.amountCents,
    currency: rate?.currency,
    tries,
  });
}
