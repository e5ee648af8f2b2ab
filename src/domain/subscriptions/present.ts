import { Cents, Currency, Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Subscription, subscriptionStatuses } from './subscription.ts';

/** A subscription as the API, the webhooks and the mails show it (api.md, "Subscription"). */
export const SubscriptionView = Type.Object(
  {
    id: Id('sub'),
    payment_subscription_id: Type.String({ examples: ['sub_1Qx'] }),
    status: Type.Enum([...subscriptionStatuses]),
    product_id: Id('prod'),
    variant_id: Nullable(Id('var')),
    interval: Type.Enum(['month', 'quarter']),
    quantity: Type.Integer({ examples: [1] }),
    unit_price_cents: Cents,
    currency: Currency,
    current_period_end: Timestamp,
    cancel_at_period_end: Type.Boolean(),
    canceled_at: Nullable(Timestamp),
    customer: Type.Object({ id: Nullable(Id('cus')), email: Nullable(Email) }),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'Subscription' },
);
export type SubscriptionView = Static<typeof SubscriptionView>;

/** What a row says of it: an entity has it, and so has what `read-subscription.ts` reads. */
export type SubscriptionRecord = Pick<
  Subscription,
  | 'id'
  | 'paymentSubscriptionId'
  | 'status'
  | 'productId'
  | 'variantId'
  | 'interval'
  | 'quantity'
  | 'unitPriceCents'
  | 'currency'
  | 'currentPeriodEnd'
  | 'cancelAtPeriodEnd'
  | 'canceledAt'
  | 'customerId'
  | 'email'
  | 'version'
  | 'createdAt'
>;

export function presentSubscription(subscription: SubscriptionRecord): SubscriptionView {
  return {
    id: subscription.id,
    payment_subscription_id: subscription.paymentSubscriptionId,
    status: subscription.status,
    product_id: subscription.productId,
    variant_id: subscription.variantId ?? null,
    interval: subscription.interval,
    quantity: subscription.quantity,
    unit_price_cents: subscription.unitPriceCents,
    currency: subscription.currency,
    current_period_end: subscription.currentPeriodEnd.toISOString(),
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    canceled_at: subscription.canceledAt?.toISOString() ?? null,
    customer: { id: subscription.customerId ?? null, email: subscription.email ?? null },
    version: subscription.version,
    created_at: subscription.createdAt.toISOString(),
  };
}
