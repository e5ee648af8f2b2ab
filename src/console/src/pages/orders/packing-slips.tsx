import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { OrderFile } from '@storefront-commerce/client';
import { useParams } from 'react-router';

import { admin } from '../../admin.ts';
import { asWritten } from '../../lib/facts.tsx';
import { formatDate } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { useSession } from '../../session/session.ts';
import { PostalAddress } from './postal-address.tsx';

/** What is put into the parcels of some orders, a sheet of paper for each. */
export function PackingSlips() {
  const ids = useParams()['ids']?.split(',') ?? [];
  return (
    <>
      <Box sx={{ displayPrint: 'none' }}>
        <PageHeading
          title={ids.length === 1 ? 'Packing slip' : 'Packing slips'}
          actions={
            <Button size="small" variant="contained" onClick={() => window.print()}>
              Print
            </Button>
          }
        />
      </Box>
      <Loaded
        queryKey={['packing slips', ...ids]}
        load={(signal) => Promise.all(ids.map((id) => admin.getOrder(id, { signal })))}
      >
        {(files) => files.map(({ order }) => <PackingSlip key={order.id} order={order} />)}
      </Loaded>
    </>
  );
}

function PackingSlip({ order }: { readonly order: OrderFile }) {
  const store = useSession()?.store.name;
  return (
    <Box
      component="article"
      aria-label={order.order_number}
      sx={{ maxWidth: 720, mb: 6, breakAfter: 'page', overflowWrap: 'anywhere' }}
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
            <TableCell align="right" sx={{ width: '1%' }}>
              Quantity
            </TableCell>
            <TableCell>Item</TableCell>
            <TableCell>SKU</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {order.items.map(({ id, quantity, name, sku }) => (
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
