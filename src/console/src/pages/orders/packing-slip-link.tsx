import type { ManagedOrder } from '@storefront-commerce/client';
import type { ReactNode } from 'react';

import { LinkButton } from '../../lib/link-button.tsx';

interface Props {
  readonly orders: readonly Pick<ManagedOrder, 'id' | 'packing_list'>[];
}

/** Leads to the page on which the packing slips are printed, of those of some orders of which something is sent. */
export function PackingSlipLink({ orders }: Props): ReactNode {
  const sent = orders.filter(isSent);
  if (sent.length === 0) return null;
  return (
    <LinkButton
      to={`/packing-slips/${sent.map(({ id }) => id).join(',')}`}
      label={sent.length === 1 ? 'Packing slip' : 'Packing slips'}
      scope="admin.orders:read"
      variant="outlined"
    />
  );
}

/** Whether anything goes into parcels of an order: nothing does of one that was refunded in full before it was sent. */
export const isSent = ({ packing_list: packed }: Pick<ManagedOrder, 'packing_list'>): boolean => packed.length > 0;
