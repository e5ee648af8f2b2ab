/** A value of the storefront, as it is written in a form. */
interface Pair {
  readonly name: string;
  readonly value: string;
}

type Values = Readonly<Record<string, unknown>>;

/** What is no text is written as JSON. */
export const pairsOf = (values: Values): Pair[] =>
  Object.entries(values).map(([name, value]) => ({ name, value: textOf(value) }));

/** @param stored the values that the form began with: what is written as before stays what it is */
export const valuesOf = (pairs: readonly Pair[] | null | undefined, stored: Values): Values =>
  Object.fromEntries(
    (pairs ?? []).map(({ name, value }) => [name, textOf(stored[name]) === value ? stored[name] : structureOf(value)]),
  );

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function structureOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}
