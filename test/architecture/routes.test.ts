import test from 'ava';

import { routes } from '#src/api/routes.ts';
import type { TSchema } from '#src/lib/schema.ts';
import { sources } from './sources.ts';

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
