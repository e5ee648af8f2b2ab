import type { Schema } from './document.ts';

/** The schemas of a document. One that has a title stands once, among the components, and is referred to. */
export interface SchemaPool {
  /** The schema, in the words of the document. */
  refer(schema: unknown): Schema;
  /** Every titled schema that was referred to, by its title. */
  components(): Record<string, Schema>;
}

export function createSchemaPool(): SchemaPool {
  const components = new Map<string, Schema>();

  function refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(refer);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as { title?: unknown };
    if (typeof title !== 'string') return translate(rest);
    const translated = translate(rest);
    const known = components.get(title);
    if (known && JSON.stringify(known) !== JSON.stringify(translated)) throw new TypeError(`Two schemas are called ${title}.`);
    components.set(title, translated);
    return { $ref: `#/components/schemas/${title}` };
  }

  function translate({ integerLike, ...schema }: { integerLike?: unknown }): Schema {
    if (integerLike) return integerOrNumeral(integerLike as Schema, schema);
    const inside = Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties' || keyword === 'patternProperties') return [keyword, referFields(value as object)];
      return [keyword, holdsSchemas.has(keyword) ? refer(value) : value];
    });
    return Object.fromEntries(inside) as Schema;
  }

  function referFields(fields: object): object {
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, refer(field)]));
  }

  return {
    refer: (schema) => refer(schema) as Schema,
    components: () => Object.fromEntries([...components].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/** Keywords whose value is a schema or a list of them. */
const holdsSchemas = new Set(['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not', 'propertyNames']);

/** What `IntegerLike` accepts, in standard words. */
function integerOrNumeral(bounds: Schema, { type: _type, ...annotations }: { type?: unknown }): Schema {
  return { ...annotations, anyOf: [{ type: 'integer', ...bounds }, { type: 'string', pattern: '^-?[0-9]{1,12}$' }] };
}
