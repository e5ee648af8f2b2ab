import {
  ArrayInput,
  BooleanInput,
  CheckboxGroupInput,
  required,
  SelectInput,
  SimpleFormIterator,
  TextArrayInput,
  TextInput,
} from 'react-admin';

import { DecimalInput } from '../../lib/decimal-input.tsx';
import { choicesOf } from '../../lib/format.ts';
import { ImageUrlInput } from '../../lib/image-url-input.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { readOptions } from './options.ts';

/** Many inputs side by side, on as many lines as they need. */
const wrapped = {
  '& .RaSimpleFormIterator-form': { flexWrap: { sm: 'wrap' } },
  '& .RaSimpleFormIterator-form > *': { flex: { sm: '1 1 9rem' }, minWidth: { sm: '9rem' } },
};

const areOptions = (text: string | null | undefined) =>
  readOptions(text) ? undefined : 'Write them like Size=Small; Color=Red, each name once.';

interface Props {
  readonly currency: string;
  /** A product that exists has a form of its own for its stock. */
  readonly isNew?: boolean;
}

/** What can be edited of a product, but for its slug. */
export function ProductInputs({ currency, isNew = false }: Props) {
  return (
    <>
      <TextInput source="name" label="Name" validate={required()} />
      <TextInput source="description" label="Description" multiline minRows={3} />
      <SelectInput
        source="status"
        label="Status"
        choices={choicesOf(['draft', 'published'])}
        helperText="Shoppers see published products"
        validate={required()}
      />
      <TextInput source="category" label="Category" />
      <TextArrayInput source="tags" label="Tags" />
      <CheckboxGroupInput
        source="purchase_types"
        label="Sold as"
        choices={[
          { id: 'one_time', name: 'One purchase' },
          { id: 'subscription', name: 'Subscription' },
        ]}
      />
      <CheckboxGroupInput
        source="subscription_intervals"
        label="Subscription every"
        choices={choicesOf(['month', 'quarter'])}
      />
      <ArrayInput source="images" label="Images">
        <SimpleFormIterator inline>
          <ImageUrlInput source="url" label="URL" validate={required()} />
          <TextInput source="alt" label="Description for those who do not see it" />
        </SimpleFormIterator>
      </ArrayInput>
      <ArrayInput source="variants" label="Variants" validate={required()}>
        <SimpleFormIterator inline sx={wrapped}>
          <TextInput source="sku" label="SKU" validate={required()} />
          <TextInput source="name" label="Name" />
          <TextInput source="options" label="Options" helperText="As in Size=Small; Color=Red" validate={areOptions} />
          <MoneyInput source="price_cents" label="Price" currency={currency} validate={required()} />
          <MoneyInput source="compare_at_cents" label="Was" currency={currency} />
          <MoneyInput source="subscription_price_cents" label="Subscription price" currency={currency} />
          <DecimalInput source="weight_oz" label="Weight (oz)" decimals={3} min={0} />
          {isNew && <DecimalInput source="stock" label="Stock" min={0} helperText="Empty: not counted" />}
          <DecimalInput source="low_stock_at" label="Low stock at" min={0} />
          <BooleanInput source="ships" label="Ships" defaultValue />
          <BooleanInput source="backorder" label="Sell without stock" />
        </SimpleFormIterator>
      </ArrayInput>
    </>
  );
}
