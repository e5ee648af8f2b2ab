import type { CustomerHistory } from '@storefront-commerce/client';
import type { RaRecord } from 'react-admin';

import { Facts, Panel } from '../../lib/facts.tsx';
import { formatConsent, formatMoney, formatTime } from '../../lib/format.ts';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { ErasePersonalData, ExportPersonalData } from '../privacy/privacy-actions.tsx';
import { SubscriptionRows } from '../subscriptions/subscription-rows.tsx';

export function CustomerPage() {
  return <RecordPage<CustomerHistory & RaRecord>>{(history) => <Customer {...history} />}</RecordPage>;
}

function Customer({ customer, orders, subscriptions, returns }: CustomerHistory) {
  const { name, email, accepts_marketing: consent, created_at: since } = customer;
  return (
    <>
      <PageHeading title={name ?? email} />
      <Panel
        title="Customer"
        actions={
          <>
            <ExportPersonalData of={email} />
            <ErasePersonalData of={email} />
          </>
        }
      >
        <Facts
          of={[
            ['Email', email],
            ['Marketing', formatConsent(consent)],
            ['Since', formatTime(since)],
          ]}
        />
      </Panel>
      <Panel title="Latest orders">
        <Rows
          label="Orders"
          rows={orders}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/orders/${id}/show`}
          empty="This customer's orders appear here, the latest first."
          columns={[
            { label: 'Order', show: (order) => order.order_number },
            { label: 'Placed', show: (order) => formatTime(order.created_at) },
            { label: 'Status', show: (order) => <State code={order.status} /> },
            { label: 'Fulfillment', show: (order) => <State code={order.fulfillment_status} /> },
            { label: 'Total', align: 'right', show: (order) => formatMoney(order.total_cents, order.currency) },
          ]}
        />
      </Panel>
      <Panel title="Subscriptions">
        <SubscriptionRows subscriptions={subscriptions} />
      </Panel>
      <Panel title="Returns">
        <Rows
          label="Returns"
          rows={returns}
          keyOf={({ id }) => id}
          linkOf={({ order_id }) => `/orders/${order_id}/show`}
          empty="Returns that this customer requests in their account appear here."
          columns={[
            { label: 'Return', show: ({ number }) => number },
            { label: 'Requested', show: ({ created_at }) => formatTime(created_at) },
            { label: 'Status', show: ({ status }) => <State code={status} /> },
          ]}
        />
      </Panel>
    </>
  );
}
