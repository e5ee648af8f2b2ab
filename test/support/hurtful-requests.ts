import type { Route } from '#src/api/lib/define-route.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import type { TSchema } from '#src/lib/schema.ts';

/** A request of the allowed size that is meant to cost its receiver time. */
export interface HurtfulRequest {
  /** What makes it expensive. */
  readonly what: string;
  /** With its question mark. */
  readonly query?: string;
  /** What stands in the path's place of each parameter. */
  readonly parameter?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Node reads 16 KB of address and headers. */
const headBytes = 14_000;

const texts: Readonly<Record<string, string>> = {
  word: 'a',
  digits: '9',
  'digits of another script': '\u{1d7ff}',
  spaces: ' ',
  dashes: '-',
  'at signs': '@',
  brackets: '[',
  'less-than signs': '<',
  dots: '.',
  slashes: '/',
};

/** Of every route there is, whatever it reads. */
export function hurtfulRequests({ params, query, body, rawBody, form, bodyBytesMax }: Route): HurtfulRequest[] {
  const takesBody = body !== undefined || rawBody === true;
  return [
    ...(params ? [{ what: 'long parameters', parameter: fill(headBytes / 4, 'a-') }] : []),
    ...Object.keys(query?.properties ?? {}).flatMap(hurtfulQueries),
    ...(takesBody ? hurtfulBodies(body, bodyBytesMax) : []),
    ...(form ? hurtfulForms(bodyBytesMax) : []),
  ];
}

/** Of pages that take a form, and know no schema. */
export function hurtfulForms(bytes: number): HurtfulRequest[] {
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  const bodies = { 'pairs without values': '&a', 'empty pairs': '&', 'percent signs': '%', 'plus signs': '+' };
  return [
    ...Object.entries(bodies).map(([what, text]) => ({
      what: `a form of ${what}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: fill(bytes, text),
    })),
    ...Object.entries({ parts: part, dashes: '--b', lines: '\r\n' }).map(([what, text]) => ({
      what: `a multipart form of ${what}`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: `--b\r\n${fill(bytes - 20, text)}\r\n--b--\r\n`,
    })),
  ];
}

export function hurtfulHeads(): HurtfulRequest[] {
  const names = [
    'authorization',
    'x-tenant-slug',
    'accept',
    'content-type',
    'idempotency-key',
    'if-none-match',
    'x-client-ip',
    'x-forwarded-for',
    'origin',
    'cookie',
    'stripe-signature',
    'shippo-auth-signature',
  ];
  const values = { word: 'a', commas: ',', 'spaced words': 'a ', pairs: 'v1=a,' };
  return [
    ...names.flatMap((name) =>
      Object.entries(values).map(([what, text]) => ({
        what: `${name} of ${what}`,
        headers: { [name]: `a${fill(headBytes, text)}a` },
      })),
    ),
    { what: 'authorization with spaces', headers: { authorization: `Bearer ${' '.repeat(headBytes)}x y` } },
    ...Object.entries({
      'unknown parameters': '&a=1',
      'parameters without names': '&',
      'percent signs': '%',
      brackets: '&a[]=1',
    }).map(([what, text]) => ({ what: `a query of ${what}`, query: `?${fill(headBytes, text)}` })),
  ];
}

function hurtfulQueries(name: string): HurtfulRequest[] {
  return [
    { what: `a long ${name}`, query: `?${name}=${fill(headBytes, '9')}` },
    { what: `${name} many times`, query: `?${fill(headBytes, `&${name}=1`)}` },
  ];
}

function hurtfulBodies(schema: TSchema | undefined, bytes: number): HurtfulRequest[] {
  const example = schema ? exampleOf(schema) : {};
  const open = JSON.stringify(example).slice(0, -1);
  const comma = open.length > 1 ? ',' : '';
  const within = (what: string, unit: string) => ({
    what,
    body: `${open}${comma}${fill(bytes - open.length - 20, unit)}"z":1}`,
  });
  const whole: HurtfulRequest[] = [
    { what: 'a list of objects', body: `[${fill(bytes - 10, '{},')}{}]` },
    { what: 'a deep list', body: '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) },
    { what: 'a text', body: JSON.stringify('a'.repeat(bytes - 10)) },
    { what: 'a number', body: '9'.repeat(bytes - 10) },
    { what: 'escapes of nothing', body: `[${fill(bytes - 20, '1,')}"\\u0000"]` },
    { what: 'backslashes', body: `"${fill(bytes - 10, '\\\\')}"` },
    within('the same field many times', '"a":1,'),
    within('prototypes', '"__proto__":{},'),
    { what: 'unknown fields', body: `${open}${comma}${unknownFields(Math.floor(bytes / 16))}}` },
  ].map((request) => ({ headers: { 'content-type': 'application/json' }, ...request }));
  return whole;
}

const unknownFields = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join();

/** A value with an expensive text in one place, and valid ones in every other. */
export interface HurtfulValue {
  readonly what: string;
  readonly value: unknown;
}

/**
 * Of every place of a schema: what 256 KB of JSON can hold there.
 *
 * @param known the schemas of places that are left out, as JSON; those of this schema are added
 */
export function* hurtfulValues(schema: TSchema, known = new Set<string>()): Generator<HurtfulValue> {
  const example = exampleOf(schema);
  for (const [place, at] of placesIn(schema)) {
    const definition = JSON.stringify(at);
    if (known.has(definition)) continue;
    known.add(definition);
    for (const [what, part] of Object.entries(hurtfulParts))
      yield { what: `${place.join('.')}: ${what}`, value: replaced(example, place, part) };
  }
}

const bytes = 256 * 1024;
const listOf = (item: () => unknown, itemBytes: number) => Array.from({ length: bytes / itemBytes }, item);
const hurtfulParts: Readonly<Record<string, unknown>> = {
  'a list of empty objects': listOf(() => ({}), 3),
  'a list of empty lists': listOf(() => [], 3),
  'a list of numbers': listOf(() => 1, 2),
  'a list of texts': listOf(() => '', 3),
  'many fields': Object.fromEntries(listOf(() => 1, 10).map((value, index) => [`k${index}`, value])),
  ...Object.fromEntries(
    Object.entries(texts).map(([what, text]) => [what, `a${text.repeat(bytes / Buffer.byteLength(text))}!`]),
  ),
};

type Place = readonly (string | number)[];

/** Every place of a schema's values, and what may stand there; of lists the first item. */
function placesIn(schema: TSchema, place: Place = []): [Place, TSchema][] {
  const {
    properties = {},
    items,
    anyOf = [],
    allOf = [],
  } = schema as { properties?: Record<string, TSchema>; items?: TSchema; anyOf?: TSchema[]; allOf?: TSchema[] };
  const inside = [
    ...Object.entries(properties).flatMap(([name, field]) => placesIn(field, [...place, name])),
    ...(items ? placesIn(items, [...place, 0]) : []),
    ...[...anyOf, ...allOf].flatMap((part) => placesIn(part, place)),
  ];
  return place.length > 0 ? [[place, schema], ...inside] : inside;
}

function replaced(value: unknown, [first, ...rest]: Place, by: unknown): unknown {
  if (first === undefined) return by;
  const inside = (typeof value === 'object' ? value : null) as Record<string | number, unknown> | null;
  if (typeof first === 'number') return [replaced(inside?.[0], rest, by)];
  return { ...inside, [first]: replaced(inside?.[first], rest, by) };
}

const fill = (bytes: number, text: string) => text.repeat(Math.floor(bytes / text.length));
