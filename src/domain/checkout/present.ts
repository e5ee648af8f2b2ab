import { Cents, Currency, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { fulfillmentStatuses, OrderLabelView, orderStatuses, paymentStatuses } from '../orders/index.ts';
import type { PaymentSession } from '../payments/index.ts';

/** The answer of POST /checkout/sessions, in both of the documented shapes at once. */
export const CheckoutSessionView = Type.Object(
  {
    checkout_url: Type.String({ examples: ['https://checkout.stripe.com/c/pay/cs_test_a1'] }),
    expires_at: Timestamp,
    order: Type.Object({
      id: Id('ord'),
      order_number: Type.String({ examples: ['ORD-1001'] }),
      status: Type.Enum([...orderStatuses]),
      currency: Currency,
      total_cents: Cents,
    }),
    order_id: Id('ord'),
    order_number: Type.String({ examples: ['ORD-1001'] }),
  },
  { title: 'CheckoutSession' },
);
export type CheckoutSessionView = Static<typeof CheckoutSessionView>;

/** An order whose session is being made, or was. */
export interface BegunOrder {
  /** Whether it was begun by this very try of the request. */
  readonly isNew: boolean;
  readonly session: PaymentSession;
  readonly orderNumber: string;
  readonly currency: string;
  readonly totalCents: number;
}

export function presentCheckoutSession(begun: BegunOrder, url: string): CheckoutSessionView {
  const { session, orderNumber, currency, totalCents } = begun;
  const { orderId } = session;
  return {
    checkout_url: url,
    expires_at: session.expiresAt.toISOString(),
    order: { id: orderId, order_number: orderNumber, status: 'pending', currency, total_cents: totalCents },
    order_id: orderId,
    order_number: orderNumber,
  };
}

/** The answer of GET /checkout/{orderId}/status. */
export const CheckoutStatusView = Type.Object(
  {
    order_id: Id('ord'),
    order_number: Type.String({ examples: ['ORD-1001'] }),
    status: Type.Enum([...orderStatuses]),
    payment_status: Type.Enum([...paymentStatuses]),
    fulfillment_status: Type.Enum([...fulfillmentStatuses]),
    paid_at: Nullable(Timestamp),
    tracking: Type.Array(Type.Pick(OrderLabelView, ['carrier', 'tracking_number', 'tracking_url', 'status'])),
    poll_after_ms: Type.Integer({ description: 'When it is worth asking again.', examples: [1500] }),
  },
  { title: 'CheckoutStatus' },
);
export type CheckoutStatusView = Static<typeof CheckoutStatusView>;
