import Typography from '@mui/material/Typography';
import type { Body, OrderFile } from '@storefront-commerce/client';
import { BooleanInput, email, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Panel } from '../../lib/facts.tsx';
import { TextInput } from '../../lib/inputs.tsx';
import { useScope } from '../../session/session.ts';
import { PostalAddress } from './postal-address.tsx';

type Address = Body<'admin.replaceShippingAddress'>;

/** Where the order is sent, and its correction. */
export function AddressPanel({ order }: { readonly order: OrderFile }) {
  const { shipping_address: address } = order;
  if (!address) return null;
  const isToBeSent = order.paid_at !== null && order.shipped_at === null && order.status !== 'refunded';
  const isOnLabel = order.label?.state === 'purchased';
  return (
    <Panel title="Shipping address" actions={isToBeSent && !isOnLabel && <EditAddress order={order} />}>
      <PostalAddress address={address} />
      {address.phone}
      {isToBeSent && isOnLabel && (
        <Typography variant="body2" sx={{ mt: 1, color: 'text.secondary' }}>
          Its label was bought for this address: void it before you correct the address.
        </Typography>
      )}
    </Panel>
  );
}

/** Only what was edited changes: the rest stays as another member may have corrected it meanwhile. */
function EditAddress({ order: { id, shipping_address: address, label } }: { readonly order: OrderFile }) {
  const mayRetry = useScope('admin.labels:write') && label?.state === 'needs_attention';
  return (
    <Action<Address & { retry?: boolean }>
      label="Edit"
      submit="Save"
      title="Correct the shipping address"
      scope="admin.orders:write"
      input={{ ...(address as Address), retry: mayRetry }}
      done="Address saved."
      run={async ({ retry }, { edited: { retry: _, ...edited }, idempotencyKey }) => {
        const { order } = await admin.getOrder(id);
        await admin.replaceShippingAddress(id, { ...(order.shipping_address as Address), ...edited });
        if (retry && label) await admin.retryLabel(label.id, { idempotencyKey });
      }}
    >
      <AddressInputs />
      {mayRetry && <BooleanInput source="retry" label="Buy the label again" />}
    </Action>
  );
}

/** The inputs of a shipping address. */
export function AddressInputs() {
  return (
    <>
      <TextInput source="name" label="Name" validate={required()} />
      <TextInput source="street1" label="Street" validate={required()} />
      <TextInput source="street2" label="Street, second line" />
      <TextInput source="city" label="City" validate={required()} />
      <TextInput source="state" label="State or region" />
      <TextInput source="zip" label="Postal code" />
      <TextInput source="country" label="Country" helperText="Two letters, such as US" validate={required()} />
      <TextInput source="phone" label="Phone" />
      <TextInput source="email" label="Email" validate={email()} />
    </>
  );
}
