import type { ManagedOrder } from '@storefront-commerce/client';

import { PageLink } from '../../lib/page-link.tsx';
import { useScope } from '../../session/session.ts';

/** The email of a customer, and for those who may read it the way to their page. */
export function CustomerLink({ customer: { id, email } }: Pick<ManagedOrder, 'customer'>) {
  const isAllowed = useScope('admin.customers:read');
  if (!id || !isAllowed) return email;
  return <PageLink to={`/customers/${id}/show`}>{email}</PageLink>;
}
