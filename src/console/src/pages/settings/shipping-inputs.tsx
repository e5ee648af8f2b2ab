import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { email, required } from 'react-admin';
import { useWatch } from 'react-hook-form';

import { labelCurrencyOf } from '../../../../lib/currency.ts';
import { DecimalInput } from '../../lib/decimal-input.tsx';
import { InputGrid } from '../../lib/input-grid.tsx';
import { TextArrayInput, TextInput } from '../../lib/inputs.tsx';
import { ListInput } from '../../lib/list-input.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { useCurrency } from '../../session/session.ts';

/** The terms of shipping. */
export function ShippingInputs() {
  const currency = useCurrency();
  const origin: string = useWatch({ name: 'origin.country' });
  return (
    <>
      <Part title="What shoppers pay">
        <TextArrayInput
          source="countries"
          label="Countries that you ship to"
          helperText="Two-letter codes, such as US, CA, GB"
          validate={required()}
        />
        <ListInput
          source="options"
          label="Options at checkout"
          item="option"
          add="Add an option"
          helperText="Without an option, shipping is free"
        >
          <TextInput source="name" label="Name" validate={required()} />
          <MoneyInput source="amount_cents" label="Price" validate={required()} />
          <MoneyInput source="free_over_cents" label="Free from a subtotal of" />
        </ListInput>
      </Part>
      <Part title="Where parcels are sent from">
        <InputGrid>
          <TextInput source="origin.name" label="Name" autoComplete="organization" validate={required()} />
          <TextInput source="origin.street1" label="Street" autoComplete="address-line1" validate={required()} />
          <TextInput source="origin.street2" label="Street, second line" autoComplete="address-line2" />
          <TextInput source="origin.city" label="City" autoComplete="address-level2" validate={required()} />
          <TextInput source="origin.state" label="State or region" autoComplete="address-level1" />
          <TextInput
            source="origin.zip"
            label="Postal code"
            autoComplete="postal-code"
            helperText="00000 where there are none"
            validate={required()}
          />
          <TextInput
            source="origin.country"
            label="Country"
            autoComplete="country"
            helperText="Two letters, such as US"
            validate={required()}
          />
          <TextInput
            source="origin.phone"
            label="Phone"
            autoComplete="tel"
            helperText="Carriers need a phone number or an email"
          />
          <TextInput source="origin.email" label="Email" autoComplete="email" validate={email()} />
        </InputGrid>
      </Part>
      <Part title="The box">
        <InputGrid>
          <DecimalInput source="parcel.length_in" label="Length (in)" decimals={4} min={0} validate={required()} />
          <DecimalInput source="parcel.width_in" label="Width (in)" decimals={4} min={0} validate={required()} />
          <DecimalInput source="parcel.height_in" label="Height (in)" decimals={4} min={0} validate={required()} />
          <DecimalInput
            source="parcel.weight_oz"
            label="Weight when empty (oz)"
            decimals={4}
            min={0}
            validate={required()}
          />
        </InputGrid>
      </Part>
      <Part title="Labels">
        <TextArrayInput
          source="carriers"
          label="Carriers"
          helperText="Shippo's names of the carriers, such as usps. Leave empty for all carriers of the account"
        />
        <MoneyInput
          source="label_cost_cap_cents"
          label="Price limit of labels that are bought automatically"
          currency={labelCurrencyOf(origin, currency)}
          helperText="A more expensive label waits for your decision. Leave empty for no limit"
        />
      </Part>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <Typography variant="subtitle1" component="h3" sx={{ mt: 2, mb: 1 }}>
        {title}
      </Typography>
      {children}
    </>
  );
}
