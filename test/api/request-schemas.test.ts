import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';

import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import type { TSchema } from '#src/lib/schema.ts';
import { issuesOf, issuesOfText } from '#src/lib/validation.ts';

/* What holds for every field of every request, read from the schemas of the routes. */

interface Field {
  /** `post /api/v1/leads body/email`; of the items of a list `…[]`. */
  readonly place: string;
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const partsOf = (route: Route) =>
  (['params', 'query', 'body'] as const).flatMap((part) => (route[part] ? [{ part, schema: route[part] }] : []));

const fields = routes.flatMap((route) =>
  partsOf(route).flatMap(({ part, schema }) => fieldsOf(schema, `${route.method} ${route.path} ${part}`, '')),
);

function fieldsOf(schema: unknown, place: string, name: string): Field[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = schema as Field['schema'];
  const branches = [own['anyOf'], own['oneOf'], own['allOf'], own['documentedAs']]
    .flat()
    .flatMap((branch) => fieldsOf(branch, place, name));
  const inside = Object.entries((own['properties'] as object | undefined) ?? {}).flatMap(([name, field]) =>
    fieldsOf(field, `${place}/${name}`, name),
  );
  return [{ place, name, schema: own }, ...branches, ...inside, ...fieldsOf(own['items'], `${place}[]`, name)];
}

/** The handler checks it, with what it is documented as. */
const checkedByHandler = ({ place, schema }: Field) =>
  'documentedAs' in schema || place.startsWith('post /api/v1/analytics/events body/events');

test('every schema of every route is a valid JSON Schema', (t) => {
  const ajv = new Ajv2020();
  const schemas = routes.flatMap((route) => [
    ...partsOf(route).map(({ part, schema }) => ({ place: part as string, schema })),
    ...Object.entries(route.responses).map(([status, schema]) => ({ place: status, schema })),
  ]);
  t.true(schemas.length > 300);
  t.deepEqual(
    schemas.filter(({ schema }) => !ajv.validateSchema(schema as object)),
    [],
  );
});

test('every field of every request is bounded', (t) => {
  t.true(fields.length > 300);
  const unbounded = fields.filter((field) => !checkedByHandler(field) && !isBounded(field.schema));
  t.deepEqual(
    unbounded.map(({ place, schema }) => `${place} ${JSON.stringify(schema)}`),
    [],
  );
});

function isBounded(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const own = schema as Field['schema'];
  const types = [own['type']].flat();
  const keywords = ['const', 'enum', 'integerLike', 'numberLike', 'booleanLike', 'anyOf', 'oneOf', 'allOf', 'required'];
  if (keywords.some((keyword) => keyword in own)) return true;
  if (types.includes(undefined)) return 'if' in own;
  return types.every((type) => {
    if (type === 'string') return 'maxLength' in own || isFinitePattern(String(own['pattern'] ?? '*'));
    if (type === 'array') return 'maxItems' in own;
    if (type === 'integer' || type === 'number') return 'maximum' in own;
    return type !== 'object' || 'properties' in own || 'maxBytes' in own || isBoundedRecord(own);
  });
}

/** In such a pattern nothing repeats without end. */
const isFinitePattern = (pattern: string) => /^\^.*\$$/.test(pattern) && !/[*+]|\{[0-9]+,\}/.test(pattern);

function isBoundedRecord(own: Field['schema']): boolean {
  const { maxLength } = (own['propertyNames'] ?? {}) as { maxLength?: number };
  const values = Object.values((own['patternProperties'] as object | undefined) ?? {});
  return maxLength !== undefined && 'maxProperties' in own && values.length > 0 && values.every(isBounded);
}

/** Of any form: a text that is no email of a customer gets the same response as an unknown one. */
const lax = ['post /api/v1/cart/apply-promo body/customerEmail', 'get /api/v1/orders/:orderId query/email'];

test('every email of every request may have spaces around it', (t) => {
  const emails = fields.filter(({ name, schema }) => /email$/i.test(name) && schema['type'] === 'string');
  t.deepEqual(
    emails.filter(({ schema }) => !schema['trimmed']).map(({ place }) => place),
    lax,
  );
  t.true(emails.length > 20);
  for (const route of routes) {
    for (const { part, schema } of partsOf(route)) {
      const value = exampleOf(schema) as Record<string, unknown>;
      const names = Object.keys((schema as { properties?: object }).properties ?? {}).filter((name) =>
        /email$/.test(name),
      );
      if (names.length === 0) continue;
      for (const name of names) value[name] = ' \tAda@Example.com ';
      const issues = part === 'body' ? issuesOf(schema as TSchema, value) : issuesOfText(schema as TSchema, value);
      t.deepEqual(issues, [], route.path);
      for (const name of names) t.is(String(value[name]).trim(), 'Ada@Example.com');
    }
  }
});

test('the metadata of a checkout has the bounds of the payment provider, and its errors name them', (t) => {
  const route = routes.find(({ path, method }) => method === 'post' && path === '/api/v1/checkout/sessions');
  const body = route?.body as TSchema;
  const issuesWith = (metadata: object) =>
    issuesOf(body, { ...(exampleOf(body) as object), metadata }).map(({ path, detail }) => `${path} ${detail}`);
  const keys = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, value]));
  t.deepEqual(
    issuesWith({ ...keys(48, 'x'.repeat(100)), nested: { depth: [1, 'é'] }, ['k'.repeat(40)]: 'x'.repeat(500) }),
    [],
  );
  t.deepEqual(issuesWith(keys(51, 1)), ['/metadata may have at most 50 keys']);
  t.deepEqual(issuesWith({ ['k'.repeat(41)]: 1 }), ['/metadata may have keys of at most 40 characters']);
  t.deepEqual(issuesWith({ note: 'x'.repeat(501) }), ['/metadata/note may have at most 500 characters']);
  t.deepEqual(issuesWith(keys(20, 'é'.repeat(300))), ['/metadata may have at most 8192 bytes as JSON']);
  t.deepEqual(issuesWith({ nested: { text: 'x'.repeat(9000) } }), ['/metadata may have at most 8192 bytes as JSON']);
});
