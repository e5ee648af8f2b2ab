import { presentAs } from '#src/lib/present-as.ts';
import { Cents, Currency, Email, FreeForm, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { PurchaseType, SubscriptionInterval } from '../catalog/index.ts';
import { trackingStatuses } from '../ports/shipping-gateway.ts';
import {
  disputeStatuses,
  fulfillmentStatuses,
  type Order,
  type OrderLabel,
  orderStatuses,
  paymentStatuses,
  type shownFields,
} from './order.ts';

const OrderItemView = Type.Object(
  {
    id: Id('item'),
    product_id: Id('prod'),
    product_slug: Type.String({ examples: ['oak-bowl'] }),
    variant_id: Nullable(Id('var')),
    sku: Nullable(Type.String({ examples: ['BOWL-S'] })),
    name: Type.String({ examples: ['Oak bowl, Small'] }),
    quantity: Type.Integer({ examples: [1] }),
    unit_price_cents: Cents,
    total_cents: Cents,
    purchase_type: PurchaseType,
    subscription_interval: Nullable(SubscriptionInterval),
  },
  { title: 'OrderItem' },
);

export const OrderLabelView = Type.Object(
  {
    carrier: Type.String({ examples: ['USPS'] }),
    service: Nullable(Type.String({ examples: ['Ground Advantage'] })),
    tracking_number: Type.String({ examples: ['9400100000000000000000'] }),
    tracking_url: Nullable(Type.String()),
    status: Nullable(Type.String({ description: `One of ${trackingStatuses.join(', ')}.`, examples: ['pre_transit'] })),
  },
  { title: 'OrderLabel' },
);

export const ShippingAddressView = Type.Object(
  {
    name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
    street1: Nullable(Type.String({ examples: ['215 Clayton St'] })),
    street2: Nullable(Type.String()),
    city: Nullable(Type.String({ examples: ['San Francisco'] })),
    state: Nullable(Type.String({ examples: ['CA'] })),
    zip: Nullable(Type.String({ examples: ['94117'] })),
    country: Nullable(Type.String({ examples: ['US'] })),
    phone: Nullable(Type.String()),
    email: Nullable(Type.String()),
  },
  { title: 'ShippingAddress' },
);

/** An order as the API, the webhooks and the emails show it. `total_cents` is what is charged. */
export const OrderView = Type.Object(
  {
    id: Id('ord'),
    order_number: Type.String({ examples: ['ORD-1001'] }),
    status: Type.Enum([...orderStatuses]),
    payment_status: Type.Enum([...paymentStatuses]),
    fulfillment_status: Type.Enum([...fulfillmentStatuses]),
    /** Of the disputes of its payment by the shopper's bank; null where there were none, `lost` where any was. */
    dispute_status: Nullable(Type.Enum([...disputeStatuses])),
    currency: Currency,
    subtotal_cents: Cents,
    discount_cents: Cents,
    gift_card_cents: Cents,
    shipping_cents: Cents,
    tax_cents: Cents,
    total_cents: Cents,
    refunded_cents: Cents,
    customer: Type.Object({ id: Nullable(Id('cus')), email: Nullable(Email) }),
    shipping_address: Nullable(ShippingAddressView),
    items: Type.Array(OrderItemView),
    labels: Type.Array(OrderLabelView),
    metadata: FreeForm,
    version: Type.Integer({ examples: [3] }),
    created_at: Timestamp,
    paid_at: Nullable(Timestamp),
    shipped_at: Nullable(Timestamp),
  },
  { title: 'Order' },
);
export type OrderView = Static<typeof OrderView>;
type OrderItemView = Static<typeof OrderItemView>;

/** The fields of an order that are shown, as a row of `selectOrder` has them; its items are read as they are shown. */
export type OrderRecord = Pick<Order, Exclude<(typeof shownFields)[number], 'labels'> | 'version'> & {
  readonly labels: readonly OrderLabel[];
  readonly items: readonly OrderItemView[];
};

export function presentOrder(order: OrderRecord): OrderView {
  const { customerId: id = null, email = null } = order;
  return presentAs(OrderView, { ...order, customer: { id, email } });
}
