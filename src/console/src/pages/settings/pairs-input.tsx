import type { ReactNode } from 'react';
import { ArrayInput, required, SimpleFormIterator, TextInput } from 'react-admin';

interface Pair {
  readonly name: string;
  readonly value: string;
}

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

/** What is no text is shown as JSON. */
export const pairsOf = (values: Readonly<Record<string, unknown>>): Pair[] =>
  Object.entries(values).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));

export const valuesOf = (pairs: readonly Pair[] | null | undefined): Record<string, unknown> =>
  Object.fromEntries((pairs ?? []).map(({ name, value }) => [name, structureOf(value)]));

function structureOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}
