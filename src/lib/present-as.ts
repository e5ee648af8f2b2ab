import type { Static, TNull, TObject, TSchema, TTimestamp, TUnion } from './schema.ts';

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/** What a row has where a view has this schema: a time, or a list that is read only. */
type Stored<Schema extends TSchema> = Schema extends TTimestamp
  ? Date
  : Schema extends TUnion<[infer Some extends TSchema, TNull]>
    ? Stored<Some> | null
    : Static<Schema> extends readonly (infer Item)[]
      ? readonly Item[]
      : Static<Schema>;

/** A row with what this view shows: the same fields in camel case. */
export type RowOf<View extends TObject> = {
  readonly [Name in keyof View['properties'] as CamelCase<Name>]: Stored<View['properties'][Name]>;
};

/** The same, where a column without a value may also be undefined. */
type Presentable<Row> = { readonly [Name in keyof Row]: null extends Row[Name] ? Row[Name] | undefined : Row[Name] };

const inCamelCase = (name: string) => name.replace(/_([a-z])/g, (_, initial: string) => initial.toUpperCase());

/** The names of a view's fields, with those of the row's. They are made once, because lists show the same view often. */
const namesOf = new WeakMap<TObject, readonly (readonly [shown: string, stored: string])[]>();

/**
 * Show a row as this view says: the fields of the view and no others, from those of the row with the same names in camel
 * case. Times become text, and what a row lacks is null.
 */
export function presentAs<View extends TObject>(view: View, row: Presentable<RowOf<View>>): Static<View> {
  const names = namesOf.get(view) ?? Object.keys(view.properties).map((name) => [name, inCamelCase(name)] as const);
  namesOf.set(view, names);
  const values = row as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map(([shown, stored]) => [shown, asShown(values[stored])])) as Static<View>;
}

function asShown(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : (value ?? null);
}
