import Typography from '@mui/material/Typography';
import type { Body, OrderFile } from '@storefront-commerce/client';
import { useState } from 'react';
import { CheckboxGroupInput, maxValue, required } from 'react-admin';
import { useFormContext, useWatch } from 'react-hook-form';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatCode, formatMoney, formatTime, isolate } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { Note } from '../../lib/note.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { paidFor } from './paid-for.ts';

type Refund = Body<'admin.refundOrder'>;

/** The refunds of an order, and a new one: of everything, a part, or some of its items. */
export function RefundPanel({ order }: { readonly order: OrderFile }) {
  const pending = order.refunds.filter(({ state }) => state === 'requested');
  const left =
    order.total_cents - order.refunded_cents - pending.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const requested = order.refunds.filter(({ state }) => state === 'requested' || state === 'sent');
  const elsewhere = order.refunded_cents - requested.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const isPaidHere = order.paid_at !== null && order.imported_at === null;
  const isRefundable = isPaidHere && order.status !== 'refunded' && (left > 0 || pending.length === 0);
  if (order.refunds.length === 0 && !isPaidHere) return null;
  return (
    <Panel title="Refunds" actions={isRefundable && <RefundAction order={order} left={left} />}>
      <Rows
        label="Refunds"
        {...(elsewhere <= 0 && {
          empty: 'Nothing has been refunded yet. Refunds of this order appear here.',
        })}
        rows={order.refunds}
        keyOf={({ id }) => id}
        columns={[
          { label: 'Requested', show: ({ created_at }) => formatTime(created_at) },
          { label: 'State', show: ({ state }) => <State code={state} /> },
          { label: 'Reason', show: ({ reason, failure }) => (failure ? formatCode(failure) : reason) },
          { label: 'Amount', align: 'right', show: (refund) => formatMoney(refund.amount_cents, refund.currency) },
        ]}
      />
      {elsewhere > 0 && (
        <Typography sx={{ p: 2, color: 'text.secondary' }}>
          {formatMoney(elsewhere, order.currency)} was returned by the payment provider and not requested here.
        </Typography>
      )}
    </Panel>
  );
}

function RefundAction({ order, left: leftNow }: { readonly order: OrderFile; readonly left: number }) {
  const { id, order_number: number, currency } = order;
  // The order is read again while the form is open: a refund whose response was lost must not be too large to try again.
  const [left, setLeft] = useState(leftNow);
  return (
    <Action<Refund & { lines?: string[] }>
      label="Refund"
      title={`Refund ${number}`}
      scope="admin.refunds:write"
      text={`${left > 0 ? `${formatMoney(left, currency)} can be refunded. ` : ''}A refund cannot be undone.`}
      input={left > 0 ? { amount_cents: left, lines: [] } : {}}
      onOpen={() => setLeft(leftNow)}
      done={left > 0 ? 'The refund is on its way to the payment provider.' : 'The order is being refunded.'}
      run={({ lines: _, ...refund }, options) => admin.refundOrder(id, refund, options)}
    >
      {left > 0 && (
        <>
          <LinesInput order={order} left={left} />
          <MoneyInput
            source="amount_cents"
            label="Amount"
            currency={currency}
            min={1}
            validate={[required(), maxValue(left, `At most ${formatMoney(left, currency)}.`)]}
          />
        </>
      )}
      <EndWarning order={order} left={left} />
      <TextInput source="reason" label="Reason" helperText="For your own records" />
    </Action>
  );
}

/** What else happens once no money is left, however few items were chosen. */
function EndWarning({ order, left }: { readonly order: OrderFile; readonly left: number }) {
  const amount = useWatch({ name: 'amount_cents' });
  if (left > 0 && amount !== left) return null;
  const onCard = order.gift_card_cents - order.gift_card_returned_cents;
  return (
    <Note severity="warning">
      This ends the order.
      {onCard > 0 && ` The gift card gets back ${formatMoney(onCard, order.currency)}.`}
      {!order.shipped_at && ' All its items return to stock, and its label is voided.'}
    </Note>
  );
}

/** Chosen items set the amount, which can still be changed. */
function LinesInput({ order, left }: { readonly order: OrderFile; readonly left: number }) {
  const { items, currency } = order;
  const { setValue } = useFormContext();
  const setAmount = (lines: string[]) => {
    const chosen = items.filter(({ id }) => lines.includes(id));
    setValue('amount_cents', chosen.length === 0 ? left : Math.min(paidFor(order, chosen), left), {
      shouldValidate: true,
    });
  };
  return (
    <CheckboxGroupInput
      source="lines"
      label="Only these items"
      row={false}
      choices={items.map((item) => ({
        id: item.id,
        name: `${item.quantity} × ${isolate(item.name)}, ${formatMoney(paidFor(order, [item]), currency)}`,
      }))}
      onChange={(lines) => setAmount(lines as unknown as string[])}
    />
  );
}
