import type { Body, OrderFile, Return } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { formatMoney } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { Note } from '../../lib/note.tsx';

interface Props {
  readonly item: Return;
}

interface OrderProps {
  readonly order: OrderFile;
}

type Message = Body<'admin.approveReturn'>;

const whatClosingDoes = {
  approved: 'The goods did not arrive: its items can be requested in another return.',
  received: 'Nothing is refunded, for example because the goods were replaced.',
  refunded: undefined,
};

/** What can be done with a return in its state. */
export function ReturnActions({ item }: Props) {
  const { id, number, status } = item;
  const note = <TextInput source="note" label="Message to the customer" multiline />;
  return (
    <>
      {status === 'requested' && (
        <>
          <Action<Message>
            label="Approve"
            title={`Approve ${number}`}
            scope="admin.returns:write"
            run={(input) => admin.approveReturn(id, input)}
            done="Return approved. The customer gets an email."
          >
            {note}
          </Action>
          <Action<Message>
            label="Reject"
            title={`Reject ${number}`}
            scope="admin.returns:write"
            color="error"
            text="The customer can request another return of its items."
            run={(input) => admin.rejectReturn(id, input)}
            done="Return rejected. The customer gets an email."
          >
            {note}
          </Action>
        </>
      )}
      {status === 'approved' && (
        <Action<Message>
          label="Receive"
          title={`The goods of ${number} have arrived`}
          scope="admin.returns:write"
          text="The stock does not change. If the goods can be sold again, change it on the page of the product."
          run={(input) => admin.receiveReturn(id, input)}
          done="Goods received."
        >
          {note}
        </Action>
      )}
      {status === 'received' && <RefundReturn item={item} />}
      {(status === 'approved' || status === 'received' || status === 'refunded') && (
        <Action<Message>
          label="Close"
          title={`Close ${number}`}
          submit="Close the return"
          scope="admin.returns:write"
          text={whatClosingDoes[status]}
          run={(input) => admin.closeReturn(id, input)}
          done="Return closed."
        >
          {note}
        </Action>
      )}
    </>
  );
}

function RefundReturn({ item: { id, number, order_id } }: Props) {
  return (
    <Action<Body<'admin.refundReturn'>>
      label="Refund"
      title={`Refund ${number}`}
      scope="admin.refunds:write"
      text="A refund cannot be undone."
      run={(input, options) => admin.refundReturn(id, input, options)}
      done="Return refunded. The customer gets an email."
    >
      <Loaded queryKey={['refunds', order_id]} load={(signal) => admin.getOrder(order_id, { signal })} gcTime={0}>
        {({ order }) => <RefundedBefore order={order} />}
      </Loaded>
      <MoneyInput source="amount_cents" label="Amount" helperText="Leave empty to refund what was paid for the goods" />
      <TextInput source="note" label="Message to the customer" multiline />
    </Action>
  );
}

/** A refund of an order is of no item, so that the one of a return does not know whether it was of the same goods. */
function RefundedBefore({ order: { refunded_cents: refunded, refunds, currency, order_number: number } }: OrderProps) {
  const sumOf = (wanted: string) =>
    refunds.reduce((sum, { state, amount_cents }) => (state === wanted ? sum + amount_cents : sum), 0);
  // One that was just sent is in the order once the provider's event has arrived.
  const before = sumOf('requested') + Math.max(sumOf('sent'), refunded);
  if (before === 0) return null;
  return (
    <Note severity="warning">
      {formatMoney(before, currency)} of {number} was refunded before. If that was for these goods, enter what is left
      of their price, or 0.
    </Note>
  );
}
