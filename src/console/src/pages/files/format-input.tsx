import type { ReactNode } from 'react';
import { FormDataConsumer, required, SelectInput } from 'react-admin';

/** How a file is written, of the kind that the form has. */
export function FormatInput(): ReactNode {
  return (
    <FormDataConsumer<{ kind?: string }>>
      {({ formData: { kind } }) => (
        <SelectInput
          source="format"
          label="Format"
          validate={required()}
          choices={[
            { id: 'csv', name: 'CSV' },
            { id: 'jsonl', name: 'Lines of JSON' },
            ...(kind === 'products' ? [{ id: 'shopify', name: "Shopify's product file" }] : []),
          ]}
        />
      )}
    </FormDataConsumer>
  );
}
