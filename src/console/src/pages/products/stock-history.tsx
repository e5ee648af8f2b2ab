import DialogContentText from '@mui/material/DialogContentText';
import type { ManagedVariant } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Details } from '../../lib/details.tsx';
import { formatCode, formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageLink } from '../../lib/page-link.tsx';
import { Rows } from '../../lib/rows.tsx';

/** What came and went of a variant, the latest first. */
export function StockHistory({ variant: { id, sku } }: { readonly variant: ManagedVariant }) {
  return (
    <Details label="History" title={`Stock of ${sku}`} maxWidth="sm">
      <Loaded
        queryKey={['stock-movements', id]}
        load={(signal) => admin.listStockMovements({ variant_id: id, limit: 100 }, { signal })}
      >
        {({ movements, cursor }) => (
          <>
            {cursor !== null && (
              <DialogContentText sx={{ mb: 2 }}>These are the latest {movements.length}.</DialogContentText>
            )}
            <Rows
              label="Movements"
              rows={movements}
              keyOf={({ id }) => id}
              empty="Sales, returns and corrections of this variant appear here."
              columns={[
                { label: 'When', show: ({ at }) => formatTime(at) },
                { label: 'Reason', show: ({ reason }) => formatCode(reason) },
                { label: 'Quantity', align: 'right', show: ({ quantity }) => quantity },
                {
                  label: 'Order',
                  show: ({ order_id }) => order_id && <PageLink to={`/orders/${order_id}/show`}>Order</PageLink>,
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </Details>
  );
}
