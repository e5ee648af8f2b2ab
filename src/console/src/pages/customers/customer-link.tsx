import Link from '@mui/material/Link';
import type { ManagedOrder } from '@storefront-commerce/client';
import { Link as RouterLink } from 'react-router';

/** The email of a customer, and the way to their page. */
export function CustomerLink({ customer: { id, email } }: Pick<ManagedOrder, 'customer'>) {
  if (!id) return email;
  return (
    <Link component={RouterLink} to={`/customers/${id}/show`}>
      {email}
    </Link>
  );
}
