import Link from '@mui/material/Link';
import { Link as RouterLink } from 'react-router';

/** A link to an order of which only the id is known. */
export function OrderLink({ id }: { readonly id: string }) {
  return (
    <Link component={RouterLink} to={`/orders/${id}/show`}>
      Order
    </Link>
  );
}
