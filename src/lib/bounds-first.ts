/** The bound of a list, a text or a record, and the keywords whose cost grows with the size of what is bounded. */
const costlyOf: Readonly<Record<string, readonly string[]>> = {
  maxItems: ['items', 'uniqueItems'],
  maxLength: ['pattern', 'format'],
  maxProperties: ['properties', 'patternProperties', 'additionalProperties', 'propertyNames'],
};

/**
 * The same schema for a validator that reports every error: a value beyond its bound gets that error and is not
 * validated further. Otherwise a list of a hundred thousand wrong items costs a hundred thousand errors, and a pattern
 * runs on texts of any length.
 */
export function boundsFirst(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(boundsFirst);
  if (typeof schema !== 'object' || schema === null) return schema;
  const whole = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, within(keyword, value)]));
  return Object.keys(costlyOf).reduce(deferCostly, whole);
}

/** Keywords whose value is a value, and no schema. */
const plain = new Set(['const', 'default', 'enum', 'examples']);

/** Keywords whose value has schemas by names. */
const holdsFields = new Set(['properties', 'patternProperties']);

function within(keyword: string, value: unknown): unknown {
  if (plain.has(keyword)) return value;
  if (!holdsFields.has(keyword)) return boundsFirst(value);
  return Object.fromEntries(Object.entries(value as object).map(([name, field]) => [name, boundsFirst(field)]));
}

/** The annotations stay with a pattern: its message is made of the example. */
function deferCostly(schema: Record<string, unknown>, bound: string): Record<string, unknown> {
  const costly = Object.keys(schema).filter((keyword) => costlyOf[bound]?.includes(keyword));
  if (!(bound in schema) || costly.length === 0) return schema;
  const { examples } = schema;
  const later = Object.fromEntries(costly.map((keyword) => [keyword, schema[keyword]]));
  const cheap = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !costly.includes(keyword)));
  const guarded = { if: { [bound]: schema[bound] }, then: { ...later, ...(examples !== undefined && { examples }) } };
  return { ...cheap, allOf: [...((schema['allOf'] as unknown[] | undefined) ?? []), guarded] };
}
