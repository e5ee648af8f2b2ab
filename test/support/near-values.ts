import { exampleOf } from '#src/lib/example-of.ts';
import { type TObject, type TSchema, Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import type { Random } from './random.ts';

interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Record<string, TSchema>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** What callers send by mistake, and what others send on purpose. */
export const strangeTexts = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'null',
  'NaN',
  'true',
  '\u0000',
  'a\u0000b',
  '\u202e',
  '😀',
  'ﷺ',
  '\ud800',
  "' or 1=1 --",
  '$1',
  '%',
  '%00',
  '\\',
  '"',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '${7*7}',
  '{{7*7}}',
  'Bcc: a@b.example\r\n',
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(300),
  'x'.repeat(5000),
  'http://169.254.169.254/',
  'javascript:alert(1)',
  'https://u:p@shop.example/',
  'ada@example.com',
  'ADA@EXAMPLE.COM ',
  'a@b',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00Z',
  '275760-09-13T00:00:00.001Z',
  '1',
  '999999999999',
  '-0',
  '0x10',
  'İ',
  'ß',
];
const strangeValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  1e21,
  -1e308,
  99_999_999,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  [],
  {},
  [[]],
  [null],
  [1, 'a'],
  { a: { b: {} } },
  { __proto__: null, toString: 1 },
  Array.from({ length: 200 }, () => 1),
  ...strangeTexts,
];

/** What near values are made of. */
export interface Nearness {
  readonly random: Random;
  /** How likely each part of a value is a strange one: 0 to 1. */
  readonly strangeness: number;
  /** Ids, slugs, codes and addresses that exist. */
  readonly known: readonly string[];
}

/** A value that fits the schema, or nearly. */
export function nearValue(near: Nearness, schema: TSchema): unknown {
  const { random, strangeness } = near;
  if (random.chance(strangeness)) return random.pick(strangeValues);
  const shape = schema as Shape;
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return random.pick(shape.enum);
  if (shape.anyOf && !shape.type) return nearValue(near, random.pick(shape.anyOf));
  if (shape.allOf && !shape.properties) return Object.assign({}, ...shape.allOf.map((part) => nearValue(near, part)));
  switch ([shape.type].flat()[0]) {
    case 'object':
      return nearObject(near, shape);
    case 'array':
      return nearList(near, shape);
    case 'integer':
    case 'number':
      return nearNumber(near, shape);
    case 'boolean':
      return random.chance(0.5);
    case 'string':
      return nearText(near, schema);
    default:
      return random.pick(strangeValues);
  }
}

function nearList(near: Nearness, { items }: Shape): unknown[] {
  const length = near.random.pick([1, 1, 1, 2, 3, ...(near.strangeness > 0 ? [0, 101] : [])]);
  return Array.from({ length }, () => (items ? nearValue(near, items) : 1));
}

function nearObject(near: Nearness, { properties = {}, required = [] }: Shape): object {
  const { random, strangeness } = near;
  const entries = Object.entries(properties)
    .filter(([name]) => random.chance(required.includes(name) ? 1 - strangeness : 0.6))
    .map(([name, field]) => [name, nearValue(near, field)]);
  const surplus = random.pick(['__proto__', 'constructor', 'tenant_id', 'id', 'unknown']);
  if (random.chance(strangeness)) entries.push([surplus, random.pick(strangeValues)]);
  return Object.fromEntries(entries);
}

function nearNumber({ random, strangeness }: Nearness, { minimum = 0, maximum = 1000, type }: Shape): unknown {
  const usual = [
    minimum,
    minimum,
    Math.min(minimum + 1, maximum),
    Math.min(minimum + random.below(20), maximum),
    maximum,
  ];
  const number = random.chance(strangeness)
    ? random.pick([minimum - 1, maximum + 1, minimum + 0.5])
    : random.pick(usual);
  return Array.isArray(type) && random.chance(0.5) ? String(number) : number;
}

/** Of what exists, what could stand here; without that the schema's own example. */
function nearText({ random, strangeness, known }: Nearness, schema: TSchema): string {
  const { maxLength = 100 } = schema as Shape;
  if (random.chance(strangeness))
    return random.pick([...strangeTexts, 'a'.repeat(maxLength), 'a'.repeat(maxLength + 1)]);
  const fitting = known.filter((text) => fits(holderOf(schema), { text }));
  return fitting.length > 0 && random.chance(0.85) ? random.pick(fitting) : String(exampleOf(schema));
}

const holders = new WeakMap<TSchema, TObject>();

/** The validator wants an object round a schema that has a default. */
function holderOf(schema: TSchema): TObject {
  const holder = holders.get(schema) ?? Type.Object({ text: schema });
  holders.set(schema, holder);
  return holder;
}
