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

  function refer(schema: unknown): Schema {
    if (!isObject(schema)) throw new TypeError('This is no schema.');
    const { title, ...rest }: Record<string, unknown> = { ...schema };
    const translated = translate(rest);
    if (typeof title !== 'string') return translated;
    const known = components.get(title) ?? translated;
    components.set(title, known);
    const { examples } = translated;
    if (JSON.stringify({ ...known, examples: undefined }) !== JSON.stringify({ ...translated, examples: undefined }))
      throw new TypeError(`Two schemas are called ${title}.`);
    const hasOther = JSON.stringify(examples) !== JSON.stringify(known['examples']);
    return { $ref: `#/components/schemas/${title}`, ...(hasOther && { examples }) };
  }

  function translate({
    integerLike,
    numberLike,
    booleanLike,
    documentedAs,
    trimmed: _trimmed,
    inCapitals: _inCapitals,
    ungrouped: _ungrouped,
    asciiDomain: _asciiDomain,
    emptyIsNull: _emptyIsNull,
    readWith: _readWith,
    maxBytes: _maxBytes,
    ...schema
  }: Record<string, unknown>): Schema {
    if (isObject(integerLike))
      return valueOrText(schema, { type: 'integer', ...boundsOf(integerLike) }, { pattern: '^-?[0-9]{1,12}$' });
    if (isObject(numberLike))
      return valueOrText(
        schema,
        { type: 'number', ...boundsOf(numberLike) },
        { pattern: '^-?[0-9]{1,12}(\\.[0-9]{1,12})?$' },
      );
    if (isObject(documentedAs)) return { ...refer(documentedAs), ...schema };
    if (booleanLike) return valueOrText(schema, { type: 'boolean' }, { enum: ['true', 'false'] });
    const inside = Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'required') return [keyword, requiredOf(schema)];
      if (holdsFields.has(keyword) && isObject(value)) return [keyword, mapValues(value, referWithin)];
      return [keyword, holdsSchemas.has(keyword) ? referWithin(value) : value];
    });
    return mergeNull(Object.fromEntries(inside));
  }

  function referWithin(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(referWithin);
    return isObject(value) ? refer(value) : value;
  }

  return {
    refer,
    components: () => Object.fromEntries([...components].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/** Keywords whose value is a schema or a list of them. */
const holdsSchemas = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
]);

/** Keywords whose value has schemas by the names of fields. */
const holdsFields = new Set(['properties', 'patternProperties']);

/** A field with a default may be left out. */
function requiredOf({ required, properties }: Record<string, unknown>): unknown {
  if (!Array.isArray(required) || !isObject(properties)) return required;
  const fields = new Map<unknown, unknown>(Object.entries(properties));
  return required.filter((name) => {
    const field = fields.get(name);
    return !(isObject(field) && 'default' in field);
  });
}

/** `null` beside one other type is written as a second type. Values that are listed would have to list it, too. */
function mergeNull({ anyOf, ...rest }: Schema): Schema {
  const [value, empty, ...others] = anyOf ?? [];
  const isMergeable = typeof value?.type === 'string' && !value.enum && empty?.type === 'null' && others.length === 0;
  return isMergeable ? { ...value, ...rest, type: [String(value.type), 'null'] } : { ...rest, ...(anyOf && { anyOf }) };
}

/** What `IntegerLike` and its like accept, in standard words. */
function valueOrText({ type: _type, ...annotations }: Record<string, unknown>, value: Schema, text: Schema): Schema {
  return { ...annotations, anyOf: [value, { type: 'string', ...text }] };
}

const boundsOf = ({ isAmount: _isAmount, ...bounds }: { isAmount?: unknown }): Schema => ({ ...bounds });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function mapValues(fields: object, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));
}
