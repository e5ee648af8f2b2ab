import { lowerCase, sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, type PersonalData } from '../personal-data.ts';

export const subscriptionPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'subscriptions',
    stays: 'Product, price and times, for the accounts.',
    ofOrders: 'indexed',
    personal: { ...blank('email', 'customer_id', 'shipping_address'), payment_customer_id: sql`''` },
    event: 'subscription.updated',
    beside: ['id', 'status', 'interval', 'quantity', 'unit_price_cents', 'currency', 'created_at', 'canceled_at'],
    of: ({ email, customerId, orderIds }) => sql`
      ${lowerCase(sql`email`)} = ${email} or customer_id = ${customerId} or (email is not null and order_id = any(${orderIds}))`,
  }),
];
