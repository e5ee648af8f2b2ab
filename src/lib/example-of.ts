import type { TSchema } from './schema.ts';

/** The keywords of a schema that describe the values. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly minimum?: number;
  readonly format?: string;
}

/** A value that fits the schema and reads like one of a shop: the schema's own example, or one made of its parts'. */
export function exampleOf(schema: TSchema): unknown {
  const shape = schema as Shape;
  for (const given of [shape.examples?.[0], shape.default, shape.const, shape.enum?.[0]]) {
    if (given !== undefined) return given;
  }
  const [branch] = shape.anyOf ?? shape.oneOf ?? [];
  if (branch && !shape.type) return exampleOf(branch);
  // Beside `properties`, an intersection only adds constraints to them.
  if (shape.allOf && !shape.properties) return Object.assign({}, ...shape.allOf.map((part) => exampleOf(part)));
  return exampleOfType(shape);
}

function exampleOfType(shape: Shape): unknown {
  switch ([shape.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.properties ?? {}).map(([name, field]) => [name, exampleOf(field)]),
      );
    case 'array':
      return shape.items ? [exampleOf(shape.items)] : [];
    case 'integer':
    case 'number':
      return Math.max(shape.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'string':
      return textOf[shape.format ?? ''] ?? 'text';
    case 'null':
      return null;
    default:
      return {};
  }
}

const textOf: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  'date-time': '2026-11-20T12:00:00.000Z',
  date: '2026-11-20',
  uri: 'https://shop.example.com/',
  'uri-template': 'https://shop.example.com/',
  uuid: '019012ab-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
};
