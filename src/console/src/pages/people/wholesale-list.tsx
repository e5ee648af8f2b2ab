import type { WholesaleInquiry } from '@storefront-commerce/client';

import { formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { LongText, State } from '../../lib/texts.tsx';

export function WholesaleList() {
  return (
    <Listing<WholesaleInquiry>
      title="Wholesale inquiries"
      empty="Inquiries from businesses that want to buy in bulk appear here."
      columns={[
        { label: 'Company', show: ({ company, email }) => company ?? email },
        { label: 'Email', show: ({ email }) => email },
        { label: 'Phone', show: ({ phone }) => phone },
        { label: 'Volume', show: (inquiry) => inquiry.expected_volume },
        { label: 'Message', show: ({ message }) => <LongText>{message}</LongText> },
        { label: 'Status', show: ({ status }) => <State code={status} /> },
        { label: 'Received', show: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  );
}
