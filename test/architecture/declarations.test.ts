import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { jobs } from '#jobs/index.ts';
import { queues } from '#jobs/queues.ts';
import { tickers } from '#jobs/schedules.ts';
import type { Route } from '#src/api/lib/define-route.ts';
import { errorCodes, meaningOf } from '#src/api/lib/error-codes.ts';
import { statusOf } from '#src/api/lib/reply-to-error.ts';
import { routes } from '#src/api/routes.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { type TSchema, Type } from '#src/lib/schema.ts';
import { fits, issuesOf, issuesOfText } from '#src/lib/validation.ts';
import { processors } from '#workers/processors.ts';
import { sources } from './sources.ts';

/** Files that name codes without throwing them. */
const lists = ['src/api/lib/error-codes.ts', 'src/api/lib/documented-errors.ts'];

const product = sources.filter(({ path }) => !path.startsWith('src/dev/') && !lists.includes(path));
const domainError = /new DomainError\(\s*'(\w+)',\s*'(\w+)'/g;
const httpError = /new HttpError\(\s*(\d+),\s*'(\w+)'/g;

test('every error in the code has a listed code and status', (t) => {
  const wrong = product
    .flatMap(({ path, text }) => [
      ...[...text.matchAll(domainError)].map(([, kind = '', code = '']) => ({
        path,
        code,
        status: Object.entries(statusOf).find(([name]) => name === kind)?.[1],
      })),
      ...[...text.matchAll(httpError)].map(([, status, code = '']) => ({ path, code, status: Number(status) })),
    ])
    .filter(({ code, status }) => meaningOf(code)?.status !== status);
  t.deepEqual(wrong, []);
});

test('every listed error code is thrown', (t) => {
  const thrown = product.map(({ text }) => text.replaceAll(/\berrors: \[[^\]]*\]/g, '')).join('\n');
  t.deepEqual(
    Object.keys(errorCodes).filter((code) => !thrown.includes(`'${code}'`)),
    [],
  );
});

test('every job has exactly one processor, and every processor a job', (t) => {
  t.deepEqual(processors.map(({ job }) => job.name).toSorted(), jobs.map(({ name }) => name).toSorted());
});

test('job names are unique and say their domain', (t) => {
  t.is(new Set(jobs.map(({ name }) => name)).size, jobs.length);
  for (const { name } of jobs) t.regex(name, /^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)+$/);
});

test('a job waits within its queue for half a minute at most, and its runs end', (t) => {
  for (const { name, queue, retry, timeoutSeconds } of jobs) {
    t.true(queue in queues, name);
    t.true(retry.maxDelaySeconds <= 30, name);
    t.true(retry.attempts >= 1 && retry.attempts <= 50, name);
    t.true(timeoutSeconds > 0 && timeoutSeconds <= 300, name);
  }
});

test('payloads hold ids and periods, nothing else', (t) => {
  for (const { name, payload } of jobs) {
    for (const field of Object.keys(payload.properties))
      t.regex(field, /(Ids?|period|day|attempt|version|number|kind)$/i, `${name}: ${field}`);
  }
});

test('every ticker wakes a known job', (t) => {
  t.deepEqual(
    tickers.filter(({ job }) => !jobs.includes(job)),
    [],
  );
});

test('every file of jobs is in the index', (t) => {
  const pages = sources
    .filter(({ path }) => /^jobs\/(?!index|queues|schedules)[a-z-]+\.ts$/.test(path))
    .map(({ path }) => path);
  const index = sources.find(({ path }) => path === 'jobs/index.ts');
  t.deepEqual(
    pages.filter((page) => !index?.imports.some(({ path }) => path === page)),
    [],
  );
});

test('every route declares its audience, responses and summary', (t) => {
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    t.truthy(route.audience.kind, name);
    t.true(Object.keys(route.responses).length > 0, name);
    t.true(route.summary.length > 10, name);
    t.true(route.tag.length > 0, name);
  }
});

test('no two routes share a method and a path', (t) => {
  const names = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:[a-z_]+/gi, ':x')}`);
  t.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test('every file of routes is mounted', (t) => {
  const files = sources.filter(
    ({ path }) =>
      /^src\/api\/(?!lib|middleware|ops)[a-z-]+\/[a-z-]+\.ts$/.test(path) &&
      /\bdefineRoute\b/.test(sources.find((source) => source.path === path)?.text ?? ''),
  );
  const index = sources.find(({ path }) => path === 'src/api/routes.ts');
  const mounted = new Set(index?.imports.flatMap(({ path }) => path ?? []));
  t.deepEqual(
    files.map(({ path }) => path).filter((path) => !mounted.has(path)),
    [],
  );
});

test('every list and every text of a request has a bound', (t) => {
  const unbounded = routes.flatMap(({ method, path, params, query, body }) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]) =>
      schema ? unboundedIn(schema, `${method} ${path} ${part}`) : [],
    ),
  );
  t.deepEqual(unbounded, []);
});

/**
 * A pattern bounds a text, too: what patterns cost is tested for each of them. What is free JSON is not looked into.
 */
function unboundedIn(schema: TSchema, place: string): string[] {
  const {
    type,
    items,
    properties = {},
    patternProperties = {},
    anyOf = [],
    allOf = [],
    ...rest
  } = schema as Record<string, any>;
  const isBounded =
    !['array', 'string'].includes(type) ||
    ['maxItems', 'maxLength', 'pattern', 'enum', 'const'].some((keyword) => keyword in rest);
  const isFree = type === 'array' && !('type' in items || 'anyOf' in items);
  return [
    ...(isBounded || isFree ? [] : [place]),
    ...(items ? unboundedIn(items, `${place}[]`) : []),
    ...Object.entries<TSchema>({ ...properties, ...patternProperties }).flatMap(([name, field]) =>
      unboundedIn(field, `${place}.${name}`),
    ),
    ...[...anyOf, ...allOf].flatMap((part: TSchema) => unboundedIn(part, place)),
  ];
}

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

test('every text of every request that has a form has an example, which its error names instead of a pattern', (t) => {
  const withPattern = fields.filter(({ schema }) => 'pattern' in schema && !('format' in schema));
  t.true(withPattern.length > 100);
  t.deepEqual(
    withPattern
      .filter(({ schema }) => schema['pattern'] !== '\\S' && !('examples' in schema))
      .map(({ place, schema }) => `${place} ${schema['pattern']}`),
    [],
  );
});

/** Of any form: a text that is no email of a customer gets the same response as an unknown one. */
const lax = ['post /api/v1/cart/apply-promo body/customerEmail'];

test('every email of every request may have spaces around it and an international domain', (t) => {
  const emails = fields.filter(({ name, schema }) => /email$/i.test(name) && schema['type'] === 'string');
  t.deepEqual(
    emails.filter(({ schema }) => !(schema['trimmed'] && schema['asciiDomain'])).map(({ place }) => place),
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
      for (const name of names) value[name] = ' \tAda@Bücher.Example ';
      const issues = part === 'body' ? issuesOf(schema as TSchema, value) : issuesOfText(schema as TSchema, value);
      t.deepEqual(issues, [], route.path);
      for (const name of names) t.is(normaliseEmail(String(value[name])), 'ada@xn--bcher-kva.example');
    }
  }
});

/** What a request reads of a text here. */
const read = ({ schema }: Field, text: string) => {
  const value = { text };
  return fits(Type.Object({ text: schema as TSchema }), value) && value.text;
};

test('every country of every request may be in small letters, and every tracking number in groups', (t) => {
  const countries = fields.filter(({ name, schema }) => /^countr(y|ies)/.test(name) && schema['type'] === 'string');
  t.true(countries.length > 4);
  for (const field of countries) {
    t.is(read(field, ' us '), 'US', field.place);
    t.false(read(field, 'ß'), `South Sudan at ${field.place}`);
  }
  const numbers = fields.filter(({ name, schema }) => name === 'tracking_number' && schema['type'] === 'string');
  t.true(numbers.length > 2);
  for (const field of numbers) {
    t.is(read(field, ' 9400 1000\u00a00000 '), '940010000000', field.place);
    t.false(read(field, '9400\n1000'), `two as one at ${field.place}`);
  }
});

/** Whether a request may have this text here. The examples of schemas stand for the rest of it. */
const accepts = ({ schema }: Field, text: string) => fits(Type.Object({ text: schema as TSchema }), { text });

/** Of shoppers: a blank one counts as none. Of a saved cart: whatever a storefront has. Others only find something. */
const mayBeBlank = /customer|leads|wholesale|apply|reviews|gift-checkout|cart\/save|filter|stock/;

test('every name of every request that an owner sends is more than blanks', (t) => {
  const names = fields.filter(
    ({ place, name, schema }) =>
      /^(post|put|patch) .* body/.test(place) &&
      /(^|_)(name|title|author|category|sku|street1|city)$/.test(name) &&
      schema['type'] === 'string' &&
      !mayBeBlank.test(place),
  );
  t.true(names.length > 15);
  t.deepEqual(
    names.filter((field) => accepts(field, ' \u00a0')).map(({ place }) => place),
    [],
  );
  t.deepEqual(
    names.filter((field) => !accepts(field, ' Oak bowl')).map(({ place }) => place),
    [],
  );
});

test('every URL of every request is one of a page or an image', (t) => {
  const urls = fields.filter(({ schema }) => ['uri', 'uri-template'].includes(String(schema['format'])));
  t.true(urls.length > 10);
  for (const field of urls) {
    for (const url of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'data:text/html,a',
      'file:///etc',
      'ftp://a.example/',
    ])
      t.false(accepts(field, url), `${field.place} ${url}`);
    t.true(accepts(field, 'HTTPS://shop.example.com/a b.png'), field.place);
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
