import type { OpenApiDocument, Schema } from '#src/api/openapi/document.ts';
import { type Html, html } from '#src/lib/html.ts';
import { inline } from './markup.ts';

/** The schemas of the document by their names. */
export type Schemas = OpenApiDocument['components']['schemas'];

/** Whether a value is sent or received: a caller must know which fields are required. */
export type Way = 'in' | 'out';

/** One field: its name, its type, and its own fields. */
export function field(name: string, schema: Schema, isRequired: boolean, schemas: Schemas, way: Way): Html {
  const inside = fieldsOf(schema, schemas, way);
  const text = schema.description ?? resolve(schema, schemas).description;
  const mark = isRequired && way === 'in' && html` <span class="required">required</span>`;
  return html`<div class="field">
  <div><code class="field-name">${name}</code> <span class="type">${typeOf(schema, schemas)}</span>${mark}</div>
  ${text && html`<p>${inline(text)}</p>`}${limitsOf(schema, schemas)}
  ${
    inside.length > 0 &&
    html`<details><summary>${inside.length === 1 ? '1 field' : `${inside.length} fields`}</summary>${inside}</details>`
  }
</div>`;
}

/** The fields of an object, or of each item of a list. */
export function fieldsOf(given: Schema, schemas: Schemas, way: Way): Html[] {
  const schema = resolve(given, schemas);
  if (schema.items) return fieldsOf(schema.items, schemas, way);
  if (schema.allOf) return schema.allOf.flatMap((part) => fieldsOf(part, schemas, way));
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).map(([name, part]) =>
    field(name, part, required.includes(name), schemas, way),
  );
}

/** A nullable schema is shown as what it is when it is not null. */
function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref) return resolve(schemas[nameOf(schema.$ref)] ?? {}, schemas);
  const some = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return some.length === 1 && some[0] ? resolve(some[0], schemas) : schema;
}

/** A schema without references. */
export function inPlace(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref) return inPlace(schemas[nameOf(schema.$ref)] ?? {}, schemas);
  const within = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(within)
      : typeof value === 'object' && value
        ? inPlace({ ...value }, schemas)
        : value;
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, within(value)]));
}

/** The name of the component that a reference is to. */
export const nameOf = (reference: string) => reference.split('/').at(-1) ?? '';

function typeOf(schema: Schema, schemas: Schemas): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((branch) => typeOf(branch, schemas)))].join(' or ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => (type === 'null' ? type : typeOf({ ...schema, type }, schemas))).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `list of ${typeOf(schema.items, schemas)}`;
  if (schema.enum && schema.enum.length <= 12) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  return schema.format ?? String(schema.type ?? 'any');
}

function limitsOf(given: Schema, schemas: Schemas): Html | false {
  const schema = resolve(given, schemas);
  const limits = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  return limits.length > 0 && html`<p class="limits">${limits.join(', ')}</p>`;
}

function range(minimum: number | undefined, maximum: number | undefined, unit: string): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum.toLocaleString('en')}${unit}`;
  if (maximum !== undefined) return `at most ${maximum.toLocaleString('en')}${unit}`;
  return minimum === undefined || (minimum === 0 && unit === '') ? '' : `at least ${minimum}${unit}`;
}
