import type { Body, PromoCode } from '@storefront-commerce/client';
import { FormDataConsumer, maxValue, type RaRecord, required, SearchInput } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Buttons } from '../../lib/buttons.tsx';
import { DecimalInput } from '../../lib/decimal-input.tsx';
import { choicesOf, formatCode, formatMoney, formatPercent, formatTime } from '../../lib/format.ts';
import { SelectInput, TextArrayInput, TextInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { PercentInput } from '../../lib/percent-input.tsx';
import { State } from '../../lib/texts.tsx';
import { TimeInput } from '../../lib/time-input.tsx';
import { VersionedAction } from '../../lib/versioned-form.tsx';
import { useCurrency } from '../../session/session.ts';
import { stateOf } from './state-of.ts';

type Terms = Body<'admin.replacePromoCode'>;

const filters = [<SearchInput key="q" source="q" placeholder="Code" alwaysOn />];

export function PromoCodeList() {
  const currency = useCurrency();
  return (
    <Listing<PromoCode & RaRecord>
      title="Promo codes"
      actions={<CreatePromoCode />}
      filters={filters}
      empty="Discount codes that shoppers enter at checkout appear here. Create the first one with New promo code."
      columns={[
        { label: 'Code', show: ({ code }) => code },
        { label: 'Discount', show: (promo) => describeDiscount(promo, currency) },
        { label: 'State', show: (promo) => <State code={stateOf(promo, Date.now())} /> },
        {
          label: 'Used',
          align: 'right',
          show: ({ used, usage_limit: limit }) => (limit ? `${used} of ${limit}` : used),
        },
        { label: 'From', show: ({ starts_at }) => starts_at && formatTime(starts_at) },
        { label: 'Until', show: ({ ends_at }) => ends_at && formatTime(ends_at) },
        { label: 'Change', show: (promo) => <PromoCodeActions promo={promo} /> },
      ]}
    />
  );
}

function describeDiscount({ type, value, value_cents: cents }: PromoCode, currency: string): string {
  if (type === 'percent') return formatPercent(value ?? 0);
  return type === 'fixed' ? formatMoney(cents ?? 0, currency) : formatCode(type);
}

function CreatePromoCode() {
  return (
    <Action<Body<'admin.createPromoCode'>>
      label="New promo code"
      submit="Create the promo code"
      variant="contained"
      scope="admin.promotions:write"
      input={{ type: 'percent' }}
      run={(input) => admin.createPromoCode(input)}
      done="Promo code created."
    >
      <TextInput
        source="code"
        label="Code"
        helperText="The code that shoppers enter, such as SPRING10"
        validate={required()}
      />
      <TermsInputs />
    </Action>
  );
}

function PromoCodeActions({ promo }: { readonly promo: PromoCode }) {
  const { code } = promo;
  return (
    <Buttons>
      <VersionedAction
        title={`Edit ${code}`}
        scope="admin.promotions:write"
        thing={promo}
        inputOf={termsOf}
        read={() => readPromoCode(promo)}
        replace={async (input) => (await admin.replacePromoCode(code, input)).promo_code}
        done="Promo code saved."
      >
        <TermsInputs />
      </VersionedAction>
      <Action
        label="Delete"
        title={`Delete ${code}`}
        color="error"
        scope="admin.promotions:write"
        text="Open checkouts keep their discount."
        run={() => admin.deletePromoCode(code)}
        done="Promo code deleted."
      />
    </Buttons>
  );
}

function termsOf(promo: PromoCode): Terms {
  const { type, value, value_cents, min_subtotal_cents, usage_limit, per_customer_limit, ...dates } = promo;
  const { starts_at, ends_at, products } = dates;
  return {
    type,
    value,
    value_cents,
    min_subtotal_cents,
    usage_limit,
    per_customer_limit,
    starts_at,
    ends_at,
    products,
  };
}

/** The API lists promo codes, and does not read one. */
async function readPromoCode(promo: PromoCode): Promise<PromoCode> {
  for await (const found of admin.listPromoCodes({ q: promo.code, limit: 100 }))
    if (found.id === promo.id) return found;
  return promo;
}

/** The terms of a promo code. Only the value that belongs to its type is sent. */
function TermsInputs() {
  return (
    <>
      <SelectInput
        source="type"
        label="Discount"
        choices={choicesOf(['percent', 'fixed', 'free_shipping'])}
        validate={required()}
      />
      <FormDataConsumer<Terms>>
        {({ formData: { type } }) =>
          type === 'percent' ? (
            <PercentInput
              source="value"
              label="Percent"
              min={0.0001}
              validate={[required(), maxValue(100)]}
              shouldUnregister
            />
          ) : (
            type === 'fixed' && (
              <MoneyInput source="value_cents" label="Amount" validate={required()} shouldUnregister />
            )
          )
        }
      </FormDataConsumer>
      <MoneyInput source="min_subtotal_cents" label="Minimum subtotal" />
      <DecimalInput source="usage_limit" label="Uses in total" min={1} />
      <DecimalInput source="per_customer_limit" label="Uses per customer" min={1} />
      <TimeInput source="starts_at" label="From" />
      <TimeInput source="ends_at" label="Until" />
      <TextArrayInput
        source="products"
        label="Only for these products"
        helperText="Their slugs. Leave empty for all products"
      />
    </>
  );
}
