import type { Static, TObject } from './schema.ts';

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/** What a row may have where the view has this value: a time, a column without a value, a list that is read only. */
type Stored<Value> =
  | Value
  | (string extends Value ? Date : never)
  | (null extends Value ? undefined : never)
  | (Value extends readonly (infer Item)[] ? readonly Item[] : never);

/** The fields that a view shows, as a row has them. */
type RowOf<Shown> = { readonly [Name in keyof Shown as CamelCase<Name>]: Stored<Shown[Name]> };

const inCamelCase = (name: string) => name.replace(/_([a-z])/g, (_, initial: string) => initial.toUpperCase());

/** The names of a view's fields, with those of the row's. They are made once, because lists show the same view often. */
const namesOf = new WeakMap<TObject, readonly (readonly [shown: string, stored: string])[]>();

/**
 * Show a row as this view says: the fields of the view and no others, from those of the row with the same names in camel
 * case. Times become text, and what a row lacks is null.
 */
export function presentAs<View extends TObject>(view: View, row: RowOf<Static<View>>): Static<View> {
  const names = namesOf.get(view) ?? Object.keys(view.properties).map((name) => [name, inCamelCase(name)] as const);
  namesOf.set(view, names);
  const values = row as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map(([shown, stored]) => [shown, asShown(values[stored])])) as Static<View>;
}

function asShown(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : (value ?? null);
}
