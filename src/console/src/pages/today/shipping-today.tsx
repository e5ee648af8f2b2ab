import Box from '@mui/material/Box';

import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { formatTime, isolate } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageLink } from '../../lib/page-link.tsx';
import { Rows } from '../../lib/rows.tsx';
import { Dispute } from '../orders/dispute.tsx';
import { isSent, PackingSlipLink } from '../orders/packing-slip-link.tsx';

const status = 'label_purchased';
const allToBePacked = `/orders?filter=${encodeURIComponent(JSON.stringify({ fulfillment_status: status }))}`;

/** The orders whose labels are bought, and whose parcels the carrier does not have yet, with what goes into them. */
export function ShippingToday() {
  return (
    <Panel title="To be packed">
      <Loaded
        queryKey={['orders', 'to pack']}
        load={(signal) => admin.listOrders({ fulfillment_status: status, limit: 10 }, { signal })}
        refetchInterval={60_000}
      >
        {({ orders, cursor }) => (
          <>
            <Rows
              label="Orders to be packed"
              rows={orders.filter(isSent)}
              keyOf={({ id }) => id}
              linkOf={({ id }) => `/orders/${id}/show`}
              empty="No orders are to be packed. Orders whose label is bought appear here until the carrier has the parcel."
              columns={[
                { label: 'Order', show: ({ order_number }) => order_number },
                {
                  label: 'Paid',
                  show: (order) => (
                    <>
                      {order.paid_at && formatTime(order.paid_at)} <Dispute order={order} />
                    </>
                  ),
                },
                {
                  label: 'Items',
                  show: ({ packing_list: items }) =>
                    items.map(({ quantity, name }) => `${quantity} × ${isolate(name)}`).join(', '),
                },
              ]}
            />
            {(orders.some(isSent) || cursor !== null) && (
              <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center', p: 2 }}>
                <PackingSlipLink orders={orders} />
                {cursor !== null && <PageLink to={allToBePacked}>Older ones wait, too: show all</PageLink>}
              </Box>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
