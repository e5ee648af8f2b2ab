import type { WaitlistEntry } from '@storefront-commerce/client';

import { formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { PageLink } from '../../lib/page-link.tsx';

export function WaitlistList() {
  return (
    <Listing<WaitlistEntry>
      title="Waitlist"
      empty="Shoppers who want an email when a product is back in stock appear here."
      columns={[
        { label: 'Email', show: ({ email }) => email },
        {
          label: 'Product',
          show: ({ product_slug: slug, product_name: name }) => (
            <PageLink to={`/products/${slug}/show`}>{name}</PageLink>
          ),
        },
        { label: 'SKU', show: ({ sku }) => sku ?? 'Any' },
        { label: 'Since', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Notified', show: ({ notified_at }) => notified_at && formatTime(notified_at) },
      ]}
    />
  );
}
