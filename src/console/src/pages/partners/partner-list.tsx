import { ApiError, type Body, type ManagedPartner } from '@storefront-commerce/client';
import { maxValue, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Buttons } from '../../lib/buttons.tsx';
import { formatCount, formatMoney, formatPercent } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { PercentInput } from '../../lib/percent-input.tsx';
import { VersionedAction } from '../../lib/versioned-form.tsx';
import { useCurrency } from '../../session/session.ts';

type Input = Body<'admin.savePartner'>;

/** Partners who refer shoppers, with what they have sold. */
export function PartnerList() {
  const currency = useCurrency();
  return (
    <Listing<ManagedPartner>
      title="Partners"
      actions={<NewPartner />}
      empty="People who recommend the store and earn a commission appear here. Create the first one with New partner."
      columns={[
        { label: 'Name', show: ({ name }) => name },
        { label: 'Code', show: ({ code }) => code },
        { label: 'Commission', align: 'right', show: ({ commission_percent: share }) => formatPercent(share) },
        { label: 'Discount', align: 'right', show: ({ discount_percent: discount }) => formatPercent(discount) },
        { label: 'Orders', align: 'right', show: ({ orders }) => formatCount(orders) },
        { label: 'Sales', align: 'right', show: ({ total_cents: total }) => formatMoney(total, currency) },
        { label: 'Earned', align: 'right', show: ({ commission_cents: cents }) => formatMoney(cents, currency) },
        { label: 'Change', show: (partner) => <PartnerActions partner={partner} /> },
      ]}
    />
  );
}

const inputOf = ({ code, name, commission_percent, discount_percent, window }: ManagedPartner): Input => ({
  code,
  name,
  commission_percent,
  discount_percent,
  window,
});

function NewPartner() {
  return (
    <Action<Input>
      label="New partner"
      title="Add a partner"
      submit="Add the partner"
      variant="contained"
      scope="admin.promotions:write"
      input={{ window: '30d' }}
      run={async (input) => {
        await rejectKnownCode(input.code);
        return admin.savePartner(input);
      }}
      done="Partner saved."
    >
      <PartnerInputs />
    </Action>
  );
}

function PartnerActions({ partner }: { readonly partner: ManagedPartner }) {
  const { code, name } = partner;
  return (
    <Buttons>
      <VersionedAction
        title={`Edit ${name}`}
        scope="admin.promotions:write"
        thing={partner}
        inputOf={inputOf}
        read={() => readPartner(partner)}
        replace={async (input) => (await admin.savePartner(input)).partner}
        done="Partner saved."
      >
        <PartnerInputs isKnown />
      </VersionedAction>
      <Action
        label="Delete"
        title={`Delete ${name}`}
        color="error"
        scope="admin.promotions:write"
        text="No more orders are attributed to the partner. What they have earned stays in the export of commissions."
        run={() => admin.deletePartner(code)}
        done="Partner deleted."
      />
    </Buttons>
  );
}

/** @param isKnown a code names a partner, and does not change */
function PartnerInputs({ isKnown = false }: { readonly isKnown?: boolean }) {
  return (
    <>
      <TextInput source="name" label="Name" validate={required()} />
      <TextInput
        source="code"
        label="Code"
        helperText="Used in the partner's links, such as maker"
        readOnly={isKnown}
        validate={required()}
      />
      <PercentInput source="commission_percent" label="Commission in percent" min={0} validate={maxValue(100)} />
      <PercentInput
        source="discount_percent"
        label="Discount for shoppers in percent"
        min={0}
        validate={maxValue(100)}
      />
      <TextInput
        source="window"
        label="How long after a visit an order is attributed"
        helperText="Such as 30d"
        validate={required()}
      />
    </>
  );
}

/** The API lists partners, and does not read one. */
async function readPartner(partner: ManagedPartner): Promise<ManagedPartner> {
  for await (const found of admin.listPartners({ limit: 100 })) if (found.code === partner.code) return found;
  throw new ApiError('not_found', `${partner.name} was deleted meanwhile.`);
}

/** The API would change the partner who has this code, and their commission. */
async function rejectKnownCode(code: string): Promise<void> {
  const wanted = code.trim().toLowerCase();
  for await (const { code, name } of admin.listPartners({ limit: 100 })) {
    if (code === wanted) throw new ApiError('invalid_argument', `${code} is the code of ${name}. Choose another one.`);
  }
}
