/** A schema as OpenAPI 3.1 has it: JSON Schema 2020-12, without keywords of our own. */
export type SchemaObject = { readonly [keyword: string]: unknown };

/** The schemas of a document. One that has a title stands once, among the components, and is referred to. */
export interface SchemaPool {
  /** The schema, in the words of the document. */
  refer(schema: unknown): SchemaObject;
  /** Every titled schema that was referred to, by its title. */
  components(): Record<string, SchemaObject>;
}

export function createSchemaPool(): SchemaPool {
  const components = new Map<string, SchemaObject>();

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

  function translate({ integerLike, ...schema }: { integerLike?: unknown }): SchemaObject {
    if (integerLike) return integerOrNumeral(integerLike as SchemaObject, schema);
    const inside = Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties' || keyword === 'patternProperties') return [keyword, referFields(value as object)];
      return [keyword, holdsSchemas.has(keyword) ? refer(value) : value];
    });
    return Object.fromEntries(inside) as SchemaObject;
  }

  function referFields(fields: object): object {
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, refer(field)]));
  }

  return {
    refer: (schema) => refer(schema) as SchemaObject,
    components: () => Object.fromEntries([...components].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/** Keywords whose value is a schema or a list of them. */
const holdsSchemas = new Set(['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not', 'propertyNames']);

/** What `IntegerLike` accepts, in standard words. */
function integerOrNumeral(bounds: SchemaObject, { type: _type, ...annotations }: { type?: unknown }): SchemaObject {
  return { ...annotations, anyOf: [{ type: 'integer', ...bounds }, { type: 'string', pattern: '^-?[0-9]{1,12}$' }] };
}
