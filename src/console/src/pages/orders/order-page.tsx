import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Body, OrderFile } from '@storefront-commerce/client';
import { email, required } from 'react-admin';

import { restOfTotal } from '../../../../lib/total.ts';
import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Advice } from '../../lib/advice.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatMoney, formatTime } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { Note } from '../../lib/note.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';
import { AddressPanel } from './address-panel.tsx';
import { Dispute } from './dispute.tsx';
import { LabelPanel } from './label-panel.tsx';
import { PackingSlipLink } from './packing-slip-link.tsx';
import { ParcelsPanel } from './parcels-panel.tsx';
import { RefundPanel } from './refund-panel.tsx';
import { TimelinePanel } from './timeline-panel.tsx';

export function OrderPage() {
  return <RecordPage<OrderFile>>{(order) => <Order order={order} />}</RecordPage>;
}

interface Props {
  readonly order: OrderFile;
}

function Order({ order }: Props) {
  return (
    <>
      <PageHeading title={order.order_number} actions={order.shipping_address && <PackingSlipLink orders={[order]} />}>
        <State code={order.status} />
        {order.fulfillment_status !== 'needs_attention' && <State code={order.fulfillment_status} />}
        <Dispute order={order} />
      </PageHeading>
      {order.imported_at && <Note severity="info">Imported: paid and shipped elsewhere</Note>}
      {order.attentions.map((attention) => (
        <AttentionAlert key={attention.code} orderId={order.id} attention={attention} />
      ))}
      <Box sx={{ display: 'grid', columnGap: 2, gridTemplateColumns: { lg: '3fr 2fr' }, alignItems: 'start' }}>
        <Box sx={{ minWidth: 0 }}>
          <ItemsPanel order={order} />
          <RefundPanel order={order} />
        </Box>
        <Box sx={{ minWidth: 0 }}>
          <CustomerPanel order={order} />
          <AddressPanel order={order} />
          <LabelPanel order={order} />
          <ParcelsPanel order={order} />
          <TimelinePanel order={order} />
        </Box>
      </Box>
    </>
  );
}

interface AttentionProps {
  readonly orderId: string;
  readonly attention: OrderFile['attentions'][number];
}

function AttentionAlert({ orderId, attention: { code, detail, next, areas } }: AttentionProps) {
  return (
    <Note
      severity="warning"
      action={
        <Action
          label="Dismiss"
          scope="admin.orders:write"
          text="The order no longer needs attention for this reason. Its payment and label do not change."
          run={() => admin.dismissOrderAttention(orderId, { code })}
          done="Dismissed."
        />
      }
    >
      <AlertTitle>{detail}</AlertTitle>
      <Advice next={next} areas={areas} />
    </Note>
  );
}

function ItemsPanel({ order }: Props) {
  const { currency } = order;
  return (
    <Panel title="Items">
      <Rows
        label="Items"
        rows={order.items}
        keyOf={({ id }) => id}
        columns={[
          { label: 'Item', show: (item) => <Item item={item} /> },
          { label: 'Quantity', align: 'right', show: ({ quantity }) => quantity },
          { label: 'Price', align: 'right', show: (item) => formatMoney(item.unit_price_cents, currency) },
          { label: 'Total', align: 'right', show: (item) => formatMoney(item.total_cents, currency) },
        ]}
      />
      <Box sx={{ display: 'flex', justifyContent: { md: 'end' }, mt: 2, px: 2 }}>
        <Facts of={sumsOf(order)} align="right" />
      </Box>
    </Panel>
  );
}

function Item({ item: { name, sku } }: { readonly item: OrderFile['items'][number] }) {
  return (
    <>
      {name}
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {sku}
      </Typography>
    </>
  );
}

/** The total and what it consists of, without what is zero. */
function sumsOf(order: OrderFile): (readonly [string, string])[] {
  const { isTaxIncluded, adjustmentCents } = restOfTotal(order);
  const sums = [
    ['Subtotal', order.subtotal_cents],
    ['Discount', -order.discount_cents],
    ['Shipping', order.shipping_cents],
    [isTaxIncluded ? 'Tax (included)' : 'Tax', order.tax_cents],
    ['Gift card', -order.gift_card_cents],
    ['Adjustment', adjustmentCents],
    ['Total', order.total_cents],
    ['Refunded', order.refunded_cents],
    ['Returned to the gift card', order.gift_card_returned_cents],
  ] as const;
  return sums
    .filter(([name, cents]) => cents !== 0 || name === 'Total')
    .map(([name, cents]) => [name, formatMoney(cents, order.currency)]);
}

function CustomerPanel({ order }: Props) {
  const { customer, created_at, paid_at, imported_at } = order;
  const actions = (
    <>
      <EditEmail order={order} />
      {paid_at && !imported_at && <ResendReceipt order={order} />}
    </>
  );
  return (
    <Panel title="Customer" actions={actions}>
      <Facts
        of={[
          ['Email', customer.email && <CustomerLink key="email" customer={customer} />],
          ['Ordered', formatTime(created_at)],
          ['Paid', paid_at && formatTime(paid_at)],
          ['Imported', imported_at && formatTime(imported_at)],
        ]}
      />
    </Panel>
  );
}

function EditEmail({ order: { id, customer } }: Props) {
  return (
    <Action<Body<'admin.replaceOrderEmail'>>
      label="Edit the email"
      title="Correct the email"
      submit="Save"
      scope="admin.orders:write"
      text="The order, its returns and any subscription it began move to the customer with this email. No email is sent: resend the receipt afterwards."
      input={{ email: customer.email ?? '' }}
      run={(input) => admin.replaceOrderEmail(id, input)}
      done="Email corrected."
    >
      <TextInput source="email" label="Email" type="email" validate={[required(), email()]} />
    </Action>
  );
}

function ResendReceipt({ order: { id, customer } }: Props) {
  return (
    <Action
      label="Resend the receipt"
      scope="admin.orders:write"
      text={customer.email && `It goes to ${customer.email}.`}
      run={() => admin.resendReceipt(id)}
      done="The receipt is on its way."
    />
  );
}
