import Typography from '@mui/material/Typography';
import type { Label } from '@storefront-commerce/client';
import type { ReactNode } from 'react';
import { BooleanInput, CheckboxGroupInput, RadioButtonGroupInput, required } from 'react-admin';

import { DecimalInput } from '../../lib/decimal-input.tsx';
import { choicesOf } from '../../lib/format.ts';
import { SelectInput, TextArrayInput, TextInput } from '../../lib/inputs.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { PercentInput } from '../../lib/percent-input.tsx';
import { TimeInput } from '../../lib/time-input.tsx';
import { priceNames } from './describe-change.ts';
import type { ChangeKind } from './kinds.ts';

interface Props {
  readonly kind: ChangeKind;
}

/** What is selected: everything that matches what is filled in. */
export function FilterInputs({ kind }: Props): ReactNode {
  return filterInputs[kind];
}

const productFilter = (
  <>
    <SelectInput source="filter.status" label="Status" choices={choicesOf(['published', 'draft'])} shouldUnregister />
    <TextInput source="filter.category" label="Category" shouldUnregister />
    <TextInput source="filter.tag" label="Tag" helperText="Leave all empty for every product" shouldUnregister />
  </>
);

/** Why a label can need attention. Fails to compile when the API has another reason. */
const labelReasons: Readonly<Record<Exclude<Label['reason_code'], 'not_required' | 'by_hand' | null>, string>> = {
  missing_address: 'Incomplete address',
  address_invalid: 'Address not accepted',
  no_rates: 'No rate offered',
  no_enabled_carrier: 'No enabled carrier is active',
  no_matching_rate: 'No rate in the currency of labels',
  cost_cap: 'Above the cost limit',
  parcel_missing: 'Weight unknown',
  international: 'To another country',
  provider_auth: 'API key rejected',
  provider_insufficient_funds: 'Insufficient funds at the provider',
  provider_rate_limited: 'Provider rate limit',
  provider_error: 'Provider failure',
  carrier_error: 'Not sold by the carrier',
  outcome_unknown: 'Purchase outcome unknown',
  oversold: 'Paid after its stock was sold',
  payment_disputed: 'The payment is disputed',
  crashes: 'Attempts kept crashing',
};

const filterInputs: Readonly<Record<ChangeKind, ReactNode>> = {
  prices: productFilter,
  tags: productFilter,
  status: productFilter,
  stock: productFilter,
  label_retries: (
    <SelectInput
      source="filter.reason_code"
      label="Reason"
      choices={Object.entries(labelReasons).map(([id, name]) => ({ id, name }))}
      helperText="Leave empty for all that need attention"
      shouldUnregister
    />
  ),
  subscription_cancellations: (
    <>
      <SelectInput
        source="filter.status"
        label="Status"
        choices={choicesOf(['active', 'trialing', 'past_due', 'paused'])}
        shouldUnregister
      />
      <TextInput source="filter.product_id" label="Product id" shouldUnregister />
      <TextInput source="filter.variant_id" label="Variant id" shouldUnregister />
    </>
  ),
  emails: (
    <>
      <TimeInput source="filter.from" label="Ordered from" shouldUnregister />
      <TimeInput source="filter.to" label="Ordered before" shouldUnregister />
      <TextInput source="filter.email" label="Email" type="email" shouldUnregister />
    </>
  ),
};

/** What is changed of everything that is selected. */
export function ChangeInputs({ kind }: Props): ReactNode {
  switch (kind) {
    case 'prices':
      return (
        <>
          <PercentInput
            source="change.percent"
            label="By percent"
            helperText="-10: ten percent cheaper"
            decimals={2}
            shouldUnregister
          />
          <MoneyInput
            source="change.amount_cents"
            label="Or by an amount"
            min={Number.NEGATIVE_INFINITY}
            shouldUnregister
          />
          <MoneyInput source="change.round_to_cents" label="Rounded to" shouldUnregister />
          <CheckboxGroupInput
            source="change.prices"
            label="Which prices"
            defaultValue={['price_cents']}
            choices={Object.entries(priceNames).map(([id, name]) => ({ id, name }))}
            shouldUnregister
          />
        </>
      );
    case 'tags':
      return (
        <>
          <TextArrayInput source="change.add" label="Add" shouldUnregister />
          <TextArrayInput source="change.remove" label="Remove" shouldUnregister />
        </>
      );
    case 'status':
      return (
        <RadioButtonGroupInput
          source="change.status"
          label="Make them"
          choices={choicesOf(['published', 'draft'])}
          validate={required()}
          shouldUnregister
        />
      );
    case 'stock':
      return (
        <>
          <DecimalInput source="change.quantity" label="Set to" min={0} shouldUnregister />
          <DecimalInput source="change.change" label="Or change by" helperText="-2: two fewer" shouldUnregister />
        </>
      );
    case 'subscription_cancellations':
      return (
        <BooleanInput
          source="change.at_period_end"
          label="At the end of the paid period"
          defaultValue
          shouldUnregister
        />
      );
    case 'emails':
      return (
        <RadioButtonGroupInput
          source="change.email"
          label="Email"
          choices={choicesOf(['receipt'])}
          defaultValue="receipt"
          shouldUnregister
        />
      );
    case 'label_retries':
      return (
        <Typography sx={{ mb: 2 }}>
          Rates are requested again for each order, and the cheapest label is bought.
        </Typography>
      );
  }
}
