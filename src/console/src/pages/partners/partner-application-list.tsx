import type { PartnerApplication } from '@storefront-commerce/client';

import { formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { LongText, State } from '../../lib/texts.tsx';

/** Who wants to become a partner. */
export function PartnerApplicationList() {
  return (
    <Listing<PartnerApplication>
      title="Partner applications"
      empty="People who apply in the storefront to become partners appear here."
      columns={[
        { label: 'Name', show: ({ name, email }) => name ?? email },
        { label: 'Email', show: ({ email }) => email },
        { label: 'Website', show: ({ website }) => website },
        { label: 'Message', show: ({ message }) => <LongText>{message}</LongText> },
        { label: 'Status', show: ({ status }) => <State code={status} /> },
        { label: 'Received', show: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  );
}
