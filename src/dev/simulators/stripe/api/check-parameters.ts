import { readFileSync } from 'node:fs';

import { checkMetadata } from './check-metadata.ts';
import { invalid, missing, StripeError } from './error.ts';
import type { Form } from './form.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface Parameters {
  readonly operations: Readonly<Record<string, string>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

const parameters: Parameters = JSON.parse(readFileSync(new URL('../parameters.json', import.meta.url), 'utf8'));

/**
 * Convert the strings of a form to the types of an operation's published schema, and reject what
 * Stripe rejects: unknown, missing, empty, too long, of another type, outside its enum.
 * An unset value (`''` where the schema allows null) becomes null.
 */
export function checkParameters(route: string, form: Form): object {
  const schema = parameters.operations[route];
  if (!schema) throw new Error(`parameters.json knows no operation ${route}`);
  return checkObject(named(schema), form, '');
}

function check(schema: Schema, value: string | Form, path: string): unknown {
  if (schema.$ref === 'MetadataParam') return checkMetadata(value, path);
  if (schema.$ref) return check(named(schema.$ref), value, path);
  if (schema.anyOf) return checkAlternatives(schema.anyOf, value, path);
  if (schema.type === 'array') return checkArray(schema, value, path);
  if (schema.type === 'object') return checkObject(schema, value, path);
  return checkScalar(schema, value, path);
}

function checkObject(schema: Schema, value: string | Form, path: string): object {
  if (typeof value === 'string') throw invalid('Invalid object', path);
  const { properties = {}, required = [], additionalProperties } = schema;
  const checked: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (!property || property === true) throw unknown(join(path, key));
    checked[key] = check(property, inner, join(path, key));
  }
  const absent = required.find((key) => !(key in checked));
  if (absent) throw missing(join(path, absent));
  return checked;
}

function checkArray(schema: Schema, value: string | Form, path: string): unknown[] {
  const keys = typeof value === 'string' ? [] : Object.keys(value);
  if (typeof value === 'string' || !keys.every((key) => /^\d+$/.test(key))) throw invalid('Invalid array', path);
  const items = schema.items ?? {};
  return keys.map((key) => check(items, value[key] ?? '', join(path, key)));
}

function checkScalar(schema: Schema, value: string | Form, path: string): unknown {
  if (typeof value !== 'string') throw invalid(`Invalid ${schema.type ?? 'value'}`, path);
  if (schema.enum) {
    if (schema.enum.includes(value)) return value;
    throw invalid(`Invalid ${lastSegment(path)}: must be one of ${listOf(schema.enum)}`, path);
  }
  if (value === '') {
    throw invalid(
      `You passed an empty string for '${path}'. We assume empty values are an attempt to unset a parameter; ` +
        `however '${path}' cannot be unset. You should remove '${path}' from your request or supply a non-empty value.`,
      path,
      'parameter_invalid_empty',
    );
  }
  switch (schema.type) {
    case 'integer':
      if (/^-?\d{1,15}$/.test(value)) return Number(value);
      throw invalid(`Invalid integer: ${value}`, path, 'parameter_invalid_integer');
    case 'number':
      if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
      throw invalid(`Invalid decimal: ${value}`, path, 'parameter_invalid_decimal');
    case 'boolean':
      if (value === 'true' || value === 'false') return value === 'true';
      throw invalid(`Invalid boolean: ${value}`, path);
    default:
      return checkString(schema, value, path);
  }
}

function checkString({ maxLength, pattern }: Schema, value: string, path: string): string {
  if (maxLength !== undefined && value.length > maxLength) {
    throw invalid(`Invalid string: ${shortened(value)}; must be at most ${maxLength} characters`, path);
  }
  if (pattern && !new RegExp(pattern).test(value)) throw invalid(`Invalid decimal: ${shortened(value)}`, path);
  return value;
}

function checkAlternatives(options: readonly Schema[], value: string | Form, path: string): unknown {
  if (value === '' && options.some((option) => option.type === 'null' || option.enum?.includes(''))) return null;
  const fitting = options.filter(
    (option) => option.type !== 'null' && isBranch(option) === (typeof value !== 'string'),
  );
  let failure: StripeError | undefined;
  for (const option of fitting) {
    try {
      return check(option, value, path);
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      failure = error;
    }
  }
  throw failure ?? invalid(typeof value === 'string' ? 'Invalid object' : 'Invalid string', path);
}

function isBranch(schema: Schema): boolean {
  const { type } = schema.$ref ? named(schema.$ref) : schema;
  return type === 'object' || type === 'array';
}

function named(name: string): Schema {
  const schema = parameters.schemas[name];
  if (!schema) throw new Error(`parameters.json knows no schema ${name}`);
  return schema;
}

function unknown(param: string): StripeError {
  return invalid(`Received unknown parameter: ${param}`, param, 'parameter_unknown');
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}[${key}]`;
}

function lastSegment(path: string): string {
  return /([^[\]]+)\]?$/.exec(path)?.[1] ?? path;
}

function listOf(words: readonly string[]): string {
  const shown = words.filter((word) => word !== '');
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')}, or ${shown.at(-1)}`;
}

function shortened(value: string): string {
  return value.length > 60 ? `${value.slice(0, 30)}…${value.slice(-10)}` : value;
}
