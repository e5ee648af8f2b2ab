import type { KnownCustomer } from '@storefront-commerce/client';
import { SearchInput } from 'react-admin';

import { formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';

const filters = [
  <SearchInput key="q" source="q" placeholder="Name or email" sx={{ minWidth: { sm: '18rem' } }} alwaysOn />,
];

export function CustomerList() {
  return (
    <Listing<KnownCustomer>
      title="Customers"
      empty="Everyone who buys something or signs in to the storefront appears here."
      filters={filters}
      linkOf={({ id }) => `/customers/${id}/show`}
      columns={[
        { label: 'Email', show: ({ email }) => email },
        { label: 'Name', show: ({ name }) => name },
        { label: 'Since', show: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  );
}
