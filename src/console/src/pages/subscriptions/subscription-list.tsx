import type { Subscription } from '@storefront-commerce/client';

import { emailFilter } from '../../lib/email-filter.tsx';
import { choicesOf, formatTime } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';
import { subscriptionColumns } from './subscription-rows.tsx';

const statuses: Subscription['status'][] = ['active', 'trialing', 'past_due', 'paused', 'canceled'];

const filters = [
  <SelectInput key="status" source="status" label="Status" choices={choicesOf(statuses)} alwaysOn />,
  emailFilter,
];

export function SubscriptionList() {
  return (
    <Listing<Subscription>
      title="Subscriptions"
      empty="Subscriptions appear here when a shopper subscribes to a product."
      filters={filters}
      columns={[
        { label: 'Customer', show: ({ customer }) => <CustomerLink customer={customer} /> },
        { label: 'Since', show: ({ created_at }) => formatTime(created_at) },
        ...subscriptionColumns,
      ]}
    />
  );
}
