import Link from '@mui/material/Link';
import { Link as RouterLink } from 'react-router';

/** A link to an order, of which the number may be unknown. */
export function OrderLink({ id, number = 'Order' }: { readonly id: string; readonly number?: string }) {
  return (
    <Link component={RouterLink} to={`/orders/${id}/show`}>
      {number}
    </Link>
  );
}
