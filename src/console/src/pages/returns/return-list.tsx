import type { Return } from '@storefront-commerce/client';

import { Buttons } from '../../lib/buttons.tsx';
import { emailFilter } from '../../lib/email-filter.tsx';
import { choicesOf, formatTime, isolate } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { PageLink } from '../../lib/page-link.tsx';
import { State } from '../../lib/texts.tsx';
import { ReturnActions } from './return-actions.tsx';

const statuses: Return['status'][] = ['requested', 'approved', 'rejected', 'received', 'refunded', 'closed'];

const filters = [
  <SelectInput key="status" source="status" label="Status" choices={choicesOf(statuses)} alwaysOn />,
  emailFilter,
];

export function ReturnList() {
  return (
    <Listing<Return>
      title="Returns"
      empty="Returns appear here when customers request them in their account."
      filters={filters}
      columns={[
        { label: 'Return', show: ({ number }) => number },
        { label: 'Requested', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Status', show: ({ status }) => <State code={status} /> },
        {
          label: 'Order',
          show: ({ order_id, order_number }) => <PageLink to={`/orders/${order_id}/show`}>{order_number}</PageLink>,
        },
        { label: 'Items', show: ({ items }) => items.map(describeItem).join('\n') },
        {
          label: 'Next',
          show: (item) => (
            <Buttons>
              <ReturnActions item={item} />
            </Buttons>
          ),
        },
      ]}
    />
  );
}

function describeItem({ quantity, name, reason, note }: Return['items'][number]): string {
  const remarks = [reason, note].filter((text) => text !== null);
  return [`${quantity} × ${isolate(name)}`, ...remarks.map(isolate)].join(', ');
}
