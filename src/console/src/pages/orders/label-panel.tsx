import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { ApiError, type Body, type OrderFile, type ShippingRate } from '@storefront-commerce/client';
import { RadioButtonGroupInput, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Advice } from '../../lib/advice.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatDays, formatMoney } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { Note } from '../../lib/note.tsx';
import { State } from '../../lib/texts.tsx';
import { ParcelInputs } from './parcels-panel.tsx';
import { PrintLabel } from './print-label.tsx';

interface Props {
  readonly order: OrderFile;
}

/** Whether the order was not sent, or in another parcel than that of its label. */
function isUnused({ label, labels: parcels, shipped_at }: OrderFile): boolean {
  const own = parcels.find(({ tracking_number: number }) => number === label?.tracking_number);
  return !shipped_at || (parcels.length > 1 && own?.status === 'pre_transit');
}

/** The label of an order: what became of it, and what can be done. */
export function LabelPanel({ order }: Props) {
  const { label, fulfillment_status: fulfillment } = order;
  if (!order.paid_at || fulfillment === 'not_required') return null;
  return (
    <Panel title="Label">
      {label?.state === 'needs_attention' && !order.attentions.some(({ code }) => code === label.reason_code) && (
        <Note severity="warning">
          {label.reason} <Advice next={label.next} areas={['labels']} />
        </Note>
      )}
      {label && <LabelFacts label={label} />}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
        {label?.label_url && label.state === 'purchased' && <PrintLabel labelId={label.id} />}
        {label?.state === 'purchased' && isUnused(order) && <VoidLabel label={label} />}
        {label?.state === 'needs_attention' && !order.shipped_at && <RetryLabel label={label} />}
        {label?.state !== 'purchased' && !order.shipped_at && order.status !== 'refunded' && (
          <>
            {!order.imported_at && <BuyLabel order={order} />}
            <ShipByHand order={order} />
          </>
        )}
      </Box>
    </Panel>
  );
}

type Label = NonNullable<OrderFile['label']>;

function LabelFacts({ label }: { readonly label: Label }) {
  const { state, carrier, service, amount_cents, currency, tracking_number, tracking_url } = label;
  return (
    <Facts
      of={[
        ['State', <State key="state" code={state} />],
        ['Carrier', [carrier, service].filter(Boolean).join(', ')],
        ['Price', amount_cents !== null && currency && formatMoney(amount_cents, currency)],
        ['Tracking', tracking_url ? <Link href={tracking_url}>{tracking_number}</Link> : tracking_number],
      ]}
    />
  );
}

/** The action that helps stands out. */
const variantOf = (label: Label | null, action: Label['remedy']) =>
  label?.state === 'needs_attention' && label.remedy === action ? 'contained' : 'outlined';

function RetryLabel({ label }: { readonly label: Label }) {
  const { id } = label;
  return (
    <Action
      label="Try again"
      scope="admin.labels:write"
      text="Rates are requested again, and the cheapest label that the store's settings allow is bought."
      run={(_, options) => admin.retryLabel(id, options)}
      done="The label is being retried."
      variant={variantOf(label, 'retry')}
    />
  );
}

function VoidLabel({ label: { id, amount_cents, currency } }: { readonly label: Label }) {
  const price = amount_cents !== null && currency ? ` ${formatMoney(amount_cents, currency)} is returned to you.` : '';
  return (
    <Action
      label="Void"
      title="Void the label"
      color="error"
      scope="admin.labels:write"
      text={`The label can no longer be used.${price}`}
      run={(_, options) => admin.voidLabel(id, options)}
      done="Label voided."
    />
  );
}

function BuyLabel({ order: { id, order_number, label } }: Props) {
  return (
    <Action<Body<'admin.buyLabel'>>
      label="Choose a rate"
      title={`Buy a label for ${order_number}`}
      submit="Buy the label"
      variant={variantOf(label, 'rate')}
      scope="admin.labels:write"
      text="These are the current rates, including those for other countries and above the store's price limit."
      run={async (input, options) => {
        // Without one the API buys the cheapest, at a price that nobody was shown.
        if (!input.rate_id) throw new ApiError('invalid_argument', 'Choose a rate first.');
        return admin.buyLabel(id, input, options);
      }}
      done="The label is being bought."
    >
      <RateInput orderId={id} />
    </Action>
  );
}

/** A rate is valid for some minutes: those of an earlier visit are not shown, nor others than it was chosen from. */
function RateInput({ orderId }: { readonly orderId: string }) {
  return (
    <Loaded
      queryKey={['rates', orderId]}
      load={(signal) => admin.quoteOrderRates(orderId, { signal })}
      gcTime={0}
      staleTime={Infinity}
    >
      {({ rates, cheapest_rate_id: cheapest }) =>
        rates.length === 0 ? (
          <Alert severity="warning">No carrier offers a rate for this address.</Alert>
        ) : (
          <RadioButtonGroupInput
            source="rate_id"
            label="Rate"
            row={false}
            defaultValue={cheapest ?? undefined}
            validate={required()}
            choices={rates.map((rate) => ({ id: rate.id, name: describeRate(rate) }))}
          />
        )
      }
    </Loaded>
  );
}

function describeRate({ carrier, service, amount_cents, currency, estimated_days: days }: ShippingRate): string {
  return `${carrier} ${service}, ${formatMoney(amount_cents, currency)}${days ? `, about ${formatDays(days)}` : ''}`;
}

function ShipByHand({ order: { id, order_number } }: Props) {
  return (
    <Action<Body<'admin.shipOrder'>>
      label="Ship by hand"
      title={`Ship ${order_number} with a label from elsewhere`}
      scope="admin.labels:write"
      text="The customer gets an email with the tracking number."
      run={(input, options) => admin.shipOrder(id, input, options)}
      done="Order shipped."
    >
      <ParcelInputs />
    </Action>
  );
}
