import type { ComponentProps } from 'react';
import { CheckboxGroupInput, required } from 'react-admin';

import { choicesOf } from '../../lib/format.ts';
import { ImageUrlInput } from '../../lib/image-url-input.tsx';
import { SelectInput, TextArrayInput, TextInput } from '../../lib/inputs.tsx';
import { ListInput } from '../../lib/list-input.tsx';
import { VariantsInput } from './variants-input.tsx';

/** What can be edited of a product, but for its slug. */
export function ProductInputs(variants: ComponentProps<typeof VariantsInput>) {
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
      <ListInput source="images" label="Images" item="image" add="Add an image">
        <ImageUrlInput source="url" label="URL" validate={required()} />
        <TextInput source="alt" label="Description for screen readers" />
      </ListInput>
      <VariantsInput {...variants} />
    </>
  );
}
