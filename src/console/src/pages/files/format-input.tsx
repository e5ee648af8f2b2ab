import { type ReactNode, useEffect } from 'react';
import { required } from 'react-admin';
import { useFormContext, useWatch } from 'react-hook-form';
import { SelectInput } from '../../lib/inputs.tsx';

/** How a file is written, of the kind that the form has. */
export function FormatInput(): ReactNode {
  const { setValue } = useFormContext();
  const [kind, format] = useWatch({ name: ['kind', 'format'] });
  const isOffered = format !== 'shopify' || kind === 'products';
  // Another kind was chosen since.
  useEffect(() => {
    if (!isOffered) setValue('format', 'csv');
  }, [isOffered, setValue]);
  return (
    <SelectInput
      source="format"
      label="Format"
      validate={required()}
      choices={[
        { id: 'csv', name: 'CSV' },
        { id: 'jsonl', name: 'JSON Lines' },
        ...(kind === 'products' ? [{ id: 'shopify', name: "Shopify's product file" }] : []),
      ]}
    />
  );
}
