import type { Subscription } from '@storefront-commerce/client';

import { formatMoney, formatTime } from '../../lib/format.ts';
import { type Column, Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';

/** What is shown of a subscription in every list. */
export const subscriptionColumns: readonly Column<Subscription>[] = [
  { label: 'Product', show: ({ product_name, product_id }) => product_name ?? product_id },
  { label: 'Status', show: ({ status }) => <State code={status} /> },
  { label: 'Price', show: describePrice },
  { label: 'Period ends', show: describeEnd },
  { label: 'Change', show: (subscription) => <SubscriptionActions subscription={subscription} /> },
];

/** The subscriptions of one customer. */
export function SubscriptionRows({ subscriptions }: { readonly subscriptions: readonly Subscription[] }) {
  return (
    <Rows
      label="Subscriptions"
      rows={subscriptions}
      keyOf={({ id }) => id}
      empty="Subscriptions that this customer begins in the storefront appear here."
      columns={[{ label: 'Since', show: ({ created_at }) => formatTime(created_at) }, ...subscriptionColumns]}
    />
  );
}

function describePrice({ quantity, unit_price_cents: cents, currency, interval }: Subscription): string {
  return `${quantity} × ${formatMoney(cents, currency)} every ${interval}`;
}

function describeEnd({ status, current_period_end: at, cancel_at_period_end: isLast }: Subscription): string | null {
  if (status === 'canceled') return null;
  return `${formatTime(at)}${isLast ? ', then it ends' : ''}`;
}
