import type { ReactNode } from 'react';

import { LinkButton } from '../../lib/link-button.tsx';

/** Leads to the page on which the packing slips of some orders are printed. */
export function PackingSlipLink({ orders }: { readonly orders: readonly { readonly id: string }[] }): ReactNode {
  return (
    <LinkButton
      to={`/packing-slips/${orders.map(({ id }) => id).join(',')}`}
      label={orders.length === 1 ? 'Packing slip' : 'Packing slips'}
      scope="admin.orders:read"
      variant="outlined"
    />
  );
}
