import type { ManagedOrder } from '@storefront-commerce/client';
import { BooleanInput, SearchInput, useListContext } from 'react-admin';

import { choicesOf, formatMoney, formatTime } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { Dispute } from './dispute.tsx';
import { PackingSlipLink } from './packing-slip-link.tsx';

const statuses: ManagedOrder['status'][] = [
  'pending',
  'paid',
  'payment_failed',
  'expired',
  'canceled',
  'partially_refunded',
  'refunded',
];
const fulfillments = [
  'unfulfilled',
  'label_purchased',
  'shipped',
  'delivered',
  'returned',
  'exception',
  'needs_attention',
  'not_required',
];

const onOrUnset = {
  parse: (isOn: boolean) => isOn || '',
  // The knob stands out of its input to the left, and in the middle of those beside it.
  sx: { pl: '11px', pb: { sm: '14px' } },
};

const filters = [
  <SearchInput
    key="q"
    source="q"
    placeholder="Number, name, email or tracking"
    sx={{ minWidth: { sm: '21rem' } }}
    alwaysOn
  />,
  <SelectInput key="status" source="status" label="Status" choices={choicesOf(statuses)} alwaysOn />,
  <SelectInput
    key="fulfillment"
    source="fulfillment_status"
    label="Fulfillment"
    choices={choicesOf(fulfillments)}
    alwaysOn
  />,
  <BooleanInput key="attention" source="needs_attention" label="Needs attention" {...onOrUnset} alwaysOn />,
  <BooleanInput key="without_label" source="without_label" label="Unshipped without a label" {...onOrUnset} />,
  <BooleanInput key="email_unsent" source="email_unsent" label="With an undelivered email" {...onOrUnset} />,
];

/** Of the orders that are listed, where those are listed that wait to be packed. */
function ListedPackingSlips() {
  const { data: orders = [], filterValues, isPlaceholderData } = useListContext<ManagedOrder>();
  // Until a filter is applied, the list is still that of before.
  const areToBePacked = filterValues['fulfillment_status'] === 'label_purchased' && !isPlaceholderData;
  return areToBePacked && <PackingSlipLink orders={orders} />;
}

export function OrderList() {
  return (
    <Listing<ManagedOrder>
      title="Orders"
      empty="Orders appear here as soon as shoppers pay."
      filters={filters}
      actions={<ListedPackingSlips />}
      linkOf={({ id }) => `/orders/${id}/show`}
      columns={[
        { label: 'Order', show: (order) => order.order_number },
        { label: 'Placed', show: (order) => formatTime(order.created_at) },
        { label: 'Customer', show: (order) => order.shipping_address?.name ?? order.customer.email },
        {
          label: 'Status',
          show: (order) => (
            <>
              <State code={order.status} /> <Dispute order={order} />
            </>
          ),
        },
        { label: 'Fulfillment', show: (order) => <State code={order.fulfillment_status} /> },
        { label: 'Total', align: 'right', show: (order) => formatMoney(order.total_cents, order.currency) },
      ]}
    />
  );
}
