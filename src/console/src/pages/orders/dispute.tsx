import type { Order } from '@storefront-commerce/client';

import { State } from '../../lib/texts.tsx';

/** That the payment of an order is or was disputed: goods that have not been sent are kept. */
export function Dispute({ order: { dispute_status: status } }: { readonly order: Pick<Order, 'dispute_status'> }) {
  return status && <State code={`dispute_${status}`} />;
}
