import type { ReactNode } from 'react';
import { ArrayInput, required, SimpleFormIterator, TextInput } from 'react-admin';

interface PairsInputProps {
  readonly source: string;
  readonly label: string;
}

/** Names with values, which the storefront gets as they are. */
export function PairsInput({ source, label }: PairsInputProps): ReactNode {
  return (
    <ArrayInput source={source} label={label} helperText="Passed to the storefront as they are">
      <SimpleFormIterator inline disableReordering>
        <TextInput source="name" label="Name" validate={required()} />
        <TextInput source="value" label="Value" validate={required()} />
      </SimpleFormIterator>
    </ArrayInput>
  );
}
