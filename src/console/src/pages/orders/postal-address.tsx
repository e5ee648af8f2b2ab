import type { OrderFile } from '@storefront-commerce/client';
import type { ReactNode } from 'react';

import { asWritten } from '../../lib/facts.tsx';
import { formatCountry } from '../../lib/format.ts';

type Address = NonNullable<OrderFile['shipping_address']>;

/** Where an order is sent, as it is written on a parcel. */
export function PostalAddress({ address }: { readonly address: Address }): ReactNode {
  const { name, street1, street2, city, state, zip, country } = address;
  const lines = [
    name,
    street1,
    street2,
    [city, state, zip].filter(Boolean).join(' '),
    country && formatCountry(country),
  ];
  return (
    <address style={{ fontStyle: 'normal', overflowWrap: 'anywhere', textAlign: 'left', ...asWritten }}>
      {lines.filter(Boolean).join('\n')}
    </address>
  );
}
