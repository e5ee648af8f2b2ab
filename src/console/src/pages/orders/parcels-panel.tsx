import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import type { Body, OrderFile } from '@storefront-commerce/client';
import { required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Buttons } from '../../lib/buttons.tsx';
import { Panel } from '../../lib/facts.tsx';
import { TextInput } from '../../lib/inputs.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';

type Parcel = OrderFile['labels'][number];

interface Props {
  readonly order: OrderFile;
}

/** What an order was sent with. A number that was entered by hand can be corrected. */
export function ParcelsPanel({ order }: Props) {
  const { labels: parcels } = order;
  const isByHand = isByHandIn(order);
  if (!order.shipped_at && !parcels.some(isByHand)) return null;
  return (
    <Panel title="Parcels" actions={order.shipped_at && <ShipmentActions order={order} />}>
      <Rows
        label="Parcels"
        rows={parcels}
        keyOf={({ tracking_number: number }) => number}
        empty="No tracking number is known yet. The parcels of this order appear here."
        columns={[
          { label: 'Parcel', show: (parcel) => <Tracking parcel={parcel} /> },
          { label: 'State', show: ({ status }) => status && <State code={status} /> },
          {
            label: 'Correction',
            show: (parcel) => isByHand(parcel) && <Corrections order={order} parcel={parcel} />,
          },
        ]}
      />
    </Panel>
  );
}

const isByHandIn =
  ({ label }: OrderFile) =>
  ({ tracking_number: number }: Parcel) =>
    number !== label?.tracking_number;

function ShipmentActions({ order }: Props) {
  const { fulfillment_status: fulfillment, labels: parcels, status } = order;
  const mayBeByHand = parcels.length === 0 || parcels.some(isByHandIn(order));
  return (
    <Buttons>
      {fulfillment === 'shipped' && status !== 'refunded' && mayBeByHand && <CancelShipment order={order} />}
      <AddParcel order={order} />
    </Buttons>
  );
}

function CancelShipment({ order: { id, order_number } }: Props) {
  return (
    <Action
      label="Not shipped"
      title={`${order_number} was not shipped`}
      color="error"
      scope="admin.labels:write"
      text="The order becomes unshipped again, and tracking numbers that were entered by hand are removed. The customer gets no email."
      run={(_, options) => admin.cancelShipment(id, options)}
      done="Order marked as not shipped."
    />
  );
}

function Tracking({ parcel: { carrier, tracking_number: number, tracking_url: url } }: { readonly parcel: Parcel }) {
  return (
    <>
      {carrier}
      <Box>{url ? <Link href={url}>{number}</Link> : number}</Box>
    </>
  );
}

function AddParcel({ order: { id, order_number } }: Props) {
  return (
    <Action<Body<'admin.shipOrder'>>
      label="Add"
      title={`Add a parcel to ${order_number}`}
      submit="Add the parcel"
      scope="admin.labels:write"
      text="The customer gets an email with the tracking number."
      run={(input, options) => admin.shipOrder(id, input, options)}
      done="Parcel added."
    >
      <ParcelInputs />
    </Action>
  );
}

function Corrections({ order: { id }, parcel: { carrier, tracking_number } }: Props & { readonly parcel: Parcel }) {
  return (
    <Buttons>
      <Action<Body<'admin.shipOrder'>>
        label="Edit"
        title="Correct the tracking number"
        submit="Save"
        scope="admin.labels:write"
        text="If the number is new, the customer gets an email with it. The wrong one is no longer tracked."
        input={{ carrier, tracking_number }}
        run={({ carrier, tracking_number: corrected }, options) =>
          admin.correctTracking(id, { tracking_number, correction: { carrier, tracking_number: corrected } }, options)
        }
        done="Tracking number corrected."
      >
        <ParcelInputs />
      </Action>
      <Action
        label="Remove"
        title={`Remove ${tracking_number}`}
        color="error"
        scope="admin.labels:write"
        text="The number is no longer tracked or shown. The order stays shipped, and the customer gets no email."
        run={(_, options) => admin.correctTracking(id, { tracking_number, correction: null }, options)}
        done="Tracking number removed."
      />
    </Buttons>
  );
}

/** The inputs of a parcel that is sent with a label from elsewhere. */
export function ParcelInputs() {
  return (
    <>
      <TextInput source="carrier" label="Carrier" helperText="For example USPS" validate={required()} />
      <TextInput source="tracking_number" label="Tracking number" validate={required()} />
    </>
  );
}
