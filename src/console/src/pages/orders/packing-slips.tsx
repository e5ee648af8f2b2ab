import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { OrderFile } from '@storefront-commerce/client';
import { useIsFetching } from '@tanstack/react-query';
import { useParams } from 'react-router';

import { admin } from '../../admin.ts';
import { asWritten } from '../../lib/facts.tsx';
import { formatDate } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { useSession } from '../../session/session.ts';
import { PostalAddress } from './postal-address.tsx';
import { PrintLabel } from './print-label.tsx';

const packingSlip = 'packing slip';

/** What is put into the parcels of some orders, a sheet of paper for each, and the labels of the parcels. */
export function PackingSlips() {
  const ids = [...new Set(useParams()['ids']?.split(',').filter(Boolean))];
  const missing = useIsFetching({ queryKey: [packingSlip], predicate: ({ state }) => state.data === undefined });
  return (
    <>
      <Box sx={{ displayPrint: 'none' }}>
        <PageHeading
          title={ids.length === 1 ? 'Packing slip' : 'Packing slips'}
          actions={
            <Button size="small" variant="contained" loading={missing > 0} onClick={() => window.print()}>
              Print
            </Button>
          }
        />
      </Box>
      {ids.map((id) => (
        <Loaded key={id} queryKey={[packingSlip, id]} load={(signal) => admin.getOrder(id, { signal })} what={id}>
          {({ order }) => <OrderToPack order={order} />}
        </Loaded>
      ))}
    </>
  );
}

interface Props {
  readonly order: OrderFile;
}

function OrderToPack({ order }: Props) {
  const { label } = order;
  const notice = noticeOf(order);
  return (
    <>
      {notice && (
        <Alert severity="info" sx={{ my: 2, displayPrint: 'none' }}>
          <AlertTitle>{order.order_number}</AlertTitle>
          {notice}
        </Alert>
      )}
      {order.packing_list.length > 0 && <PackingSlip order={order} />}
      {label?.label_url && label.state === 'purchased' && (
        <Box sx={{ mb: 6, displayPrint: 'none' }}>
          <PrintLabel labelId={label.id} label={`Print the label of ${order.order_number}`} variant="outlined" />
        </Box>
      )}
    </>
  );
}

/** What its packer has to know, and the shopper does not. */
function noticeOf({ packing_list: packed, refunds, shipped_at: shipped }: OrderFile): string | undefined {
  if (packed.length === 0) return 'Nothing in this order is to be sent.';
  const isReduced = refunds.some(
    ({ return_id: id, state }) => id === null && (state === 'requested' || state === 'sent'),
  );
  if (!isReduced || shipped) return undefined;
  return 'A part of this order was refunded without a return: check whether all of this is still sent.';
}

function PackingSlip({ order }: Props) {
  const store = useSession()?.store.name;
  return (
    <Box
      component="article"
      aria-label={order.order_number}
      sx={{ maxWidth: 720, mb: 2, breakAfter: 'page', overflowWrap: 'anywhere' }}
    >
      <Typography variant="h6" component="h2">
        {store}
      </Typography>
      <Typography sx={{ mb: 2 }}>
        Order {order.order_number}, {formatDate(order.created_at)}
      </Typography>
      {order.shipping_address && <PostalAddress address={order.shipping_address} />}
      <Table size="small" aria-label="Items" sx={{ mt: 2 }}>
        <TableHead>
          <TableRow>
            <TableCell align="right" sx={{ width: '1%', overflowWrap: 'normal' }}>
              Quantity
            </TableCell>
            <TableCell>Item</TableCell>
            <TableCell>SKU</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {order.packing_list.map(({ order_item_id: id, quantity, name, sku }) => (
            <TableRow key={id}>
              <TableCell align="right">{quantity}</TableCell>
              <TableCell sx={asWritten}>{name}</TableCell>
              <TableCell sx={asWritten}>{sku}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}
