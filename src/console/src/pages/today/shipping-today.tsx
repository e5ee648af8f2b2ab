import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { Rows } from '../../lib/rows.tsx';

/** The orders whose labels are bought, and whose parcels the carrier does not have yet. */
export function ShippingToday() {
  return (
    <Panel title="To be packed">
      <Loaded
        queryKey={['orders', 'to pack']}
        load={(signal) => admin.listOrders({ fulfillment_status: 'label_purchased', limit: 10 }, { signal })}
        refetchInterval={60_000}
      >
        {({ orders }) => (
          <Rows
            label="Orders to be packed"
            rows={orders}
            keyOf={({ id }) => id}
            linkOf={({ id }) => `/orders/${id}/show`}
            empty="No parcel waits."
            columns={[
              { label: 'Order', show: ({ order_number }) => order_number },
              { label: 'Paid', show: ({ paid_at }) => paid_at && formatTime(paid_at) },
              {
                label: 'Items',
                show: ({ items }) => items.map(({ quantity, name }) => `${quantity} × ${name}`).join(', '),
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
