import type { ReactNode } from 'react';
import { required } from 'react-admin';
import { TextInput } from '../../lib/inputs.tsx';
import { ListInput } from '../../lib/list-input.tsx';

interface PairsInputProps {
  readonly source: string;
  readonly label: string;
  /** What one of them is. */
  readonly item: string;
}

/** Names with values, which the storefront gets as they are. */
export function PairsInput({ item, ...props }: PairsInputProps): ReactNode {
  return (
    <ListInput
      {...props}
      item={item}
      add={`Add a ${item}`}
      helperText="Passed to the storefront unchanged"
      disableReordering
    >
      <TextInput source="name" label="Name" validate={required()} />
      <TextInput source="value" label="Value" validate={required()} />
    </ListInput>
  );
}
