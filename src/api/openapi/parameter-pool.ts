import type { Parameter, Reference } from './document.ts';

/** The parameters of a document. One that several operations have stands once, among the components. */
export interface ParameterPool {
  refer(parameter: Parameter): Parameter | Reference;
  components(): Record<string, Parameter>;
}

/** @param parameters those of all operations */
export function createParameterPool(parameters: readonly Parameter[]): ParameterPool {
  const components = new Map<string, Parameter>();
  for (const [text, same] of Map.groupBy(parameters, (parameter) => JSON.stringify(parameter))) {
    const [first] = same;
    if (first && same.length > 1 && !components.has(nameOf(first))) components.set(nameOf(first), JSON.parse(text));
  }
  return {
    refer(parameter) {
      const name = nameOf(parameter);
      const isShared = JSON.stringify(components.get(name)) === JSON.stringify(parameter);
      return isShared ? { $ref: `#/components/parameters/${name}` } : parameter;
    },
    components: () => Object.fromEntries([...components].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/** `path.ordId` for the id of an order, which is called `id` where the path names it. */
function nameOf({ in: place, name, schema }: Parameter): string {
  const [, prefix] = /^\^([a-z]+)_\[/.exec(String(schema.pattern ?? '')) ?? [];
  return `${place}.${prefix ? `${prefix}Id` : name}`;
}
