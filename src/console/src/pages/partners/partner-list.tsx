import { ApiError, type Body, type ManagedPartner } from '@storefront-commerce/client';
import { maxValue, required, TextInput } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { DecimalInput } from '../../lib/decimal-input.tsx';
import { formatCount, formatMoney, formatPercent } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { useSession } from '../../session/session.ts';

type Input = Body<'admin.savePartner'>;

/** Partners who refer shoppers, with what they have sold. */
export function PartnerList() {
  const currency = useSession()?.store.currency ?? 'USD';
  return (
    <Listing<ManagedPartner>
      title="Partners"
      actions={<SavePartner label="New partner" input={{ window: '30d' }} />}
      empty="People who recommend the store and earn a commission: create the first one with New partner."
      columns={[
        { label: 'Name', show: ({ name }) => name },
        { label: 'Code', show: ({ code }) => code },
        { label: 'Commission', align: 'right', show: ({ commission_percent: share }) => formatPercent(share) },
        { label: 'Discount', align: 'right', show: ({ discount_percent: discount }) => formatPercent(discount) },
        { label: 'Orders', align: 'right', show: ({ orders }) => formatCount(orders) },
        { label: 'Sales', align: 'right', show: ({ total_cents: total }) => formatMoney(total, currency) },
        { label: 'Earned', align: 'right', show: ({ commission_cents: cents }) => formatMoney(cents, currency) },
        { label: 'Change', show: (partner) => <SavePartner label="Edit" input={inputOf(partner)} /> },
      ]}
    />
  );
}

const inputOf = ({ code, name, commission_percent, discount_percent, window }: ManagedPartner): Input => ({
  ...{ code, name, commission_percent, discount_percent, window },
});

interface SavePartnerProps {
  readonly label: string;
  readonly input: Partial<Input>;
}

/** A code names a partner: with a code, the one that has it is edited. */
function SavePartner({ label, input }: SavePartnerProps) {
  const isNew = input.code === undefined;
  return (
    <Action<Input>
      label={label}
      title={isNew ? 'Add a partner' : `Edit ${input.name}`}
      variant={isNew ? 'contained' : 'outlined'}
      scope="admin.customers:write"
      input={input}
      run={async (input) => {
        if (isNew) await rejectKnownCode(input.code);
        return admin.savePartner(input);
      }}
      done="The partner is saved."
    >
      <TextInput source="name" label="Name" validate={required()} />
      <TextInput
        source="code"
        label="Code"
        helperText="Part of the partner's links, such as maker"
        readOnly={!isNew}
        validate={required()}
      />
      <DecimalInput
        source="commission_percent"
        label="Commission in percent of an order"
        decimals={2}
        min={0}
        validate={maxValue(100)}
      />
      <DecimalInput
        source="discount_percent"
        label="Discount for shoppers in percent"
        decimals={2}
        min={0}
        validate={maxValue(100)}
      />
      <TextInput
        source="window"
        label="How long after a visit an order counts"
        helperText="Such as 30d"
        validate={required()}
      />
    </Action>
  );
}

/** The API would change the partner who has this code, and their commission. */
async function rejectKnownCode(code: string): Promise<void> {
  const wanted = code.trim().toLowerCase();
  for await (const { code, name } of admin.listPartners({ limit: 100 })) {
    if (code === wanted) throw new ApiError('invalid_argument', `${code} is the code of ${name}. Choose another one.`);
  }
}
