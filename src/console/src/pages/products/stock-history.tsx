import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import type { ManagedVariant } from '@storefront-commerce/client';
import { useId, useState } from 'react';

import { admin } from '../../admin.ts';
import { formatCode, formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { Rows } from '../../lib/rows.tsx';
import { OrderLink } from '../orders/order-link.tsx';

/** What came and went of a variant, the latest first. */
export function StockHistory({ variant: { id, sku } }: { readonly variant: ManagedVariant }) {
  const [isOpen, setOpen] = useState(false);
  const titleId = useId();
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        History
      </Button>
      {isOpen && (
        <Dialog open fullWidth maxWidth="sm" onClose={() => setOpen(false)} aria-labelledby={titleId}>
          <DialogTitle id={titleId}>Stock of {sku}</DialogTitle>
          {/* Scrolled with the keyboard, too, where nothing in it can be focused. */}
          <DialogContent tabIndex={0}>
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
                    empty="What is sold, returned or corrected of this variant appears here with its date."
                    columns={[
                      { label: 'When', show: ({ at }) => formatTime(at) },
                      { label: 'Reason', show: ({ reason }) => formatCode(reason) },
                      { label: 'Quantity', align: 'right', show: ({ quantity }) => quantity },
                      { label: 'Order', show: ({ order_id }) => order_id && <OrderLink id={order_id} /> },
                    ]}
                  />
                </>
              )}
            </Loaded>
          </DialogContent>
          <DialogActions>
            <Button onClick={() => setOpen(false)}>Close</Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
