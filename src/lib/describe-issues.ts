import type { ErrorObject } from 'ajv/dist/2020.js';

import { isDecimal, minorUnitsMessage, textKeywords } from './convert-text.ts';
import { nearest } from './edit-distance.ts';
import { isWebUrl, urlLengthMax } from './url.ts';

/** One thing that is wrong with a value, and where: `path` is a JSON pointer. */
export interface Issue {
  path: string;
  code: string;
  detail: string;
}

/** Errors that only say that one of their branches failed; the branch has errors of its own. */
const summaries: readonly string[] = ['anyOf', 'if', 'propertyNames'];

/**
 * The validator's errors as messages for the caller; of a failed union only the errors of its branches. Takes time in
 * proportion to the errors, which can be as many as a body has bytes.
 *
 * @param max how many errors are described, from the first
 */
export function describeIssues(errors: readonly ErrorObject[], max: number): Issue[] {
  const specific = withoutAlternatives(
    withoutSpelling(withoutNullOnly(errors.filter((error) => !summaries.includes(error.keyword) && !isTextToo(error)))),
  );
  const choices = Map.groupBy(
    specific.filter(({ keyword }) => keyword === 'const'),
    ({ instancePath }) => instancePath,
  );
  const issues = new Map<string, Issue>();
  for (const error of specific.length > 0 ? specific : errors) {
    if (issues.size >= max) break;
    const [path, code] = [pathOf(error), error.keyword];
    const place = `${code} ${path}`;
    if (!issues.has(place)) issues.set(place, { path, code, detail: detailOf(error, choices.get(path) ?? []) });
  }
  return [...issues.values()];
}

/** A value that may come as text has a keyword that says what it must be. */
function isTextToo({ keyword, parentSchema = {} }: ErrorObject): boolean {
  return keyword === 'type' && textKeywords.some((name) => name in parentSchema);
}

/** A text that is too short, or without the right format, is described by that alone: a pattern only narrows it. */
function withoutSpelling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const described = new Set(
    errors.filter(({ keyword }) => ['format', 'minLength'].includes(keyword)).map(({ instancePath }) => instancePath),
  );
  return errors.filter(({ keyword, instancePath }) => keyword !== 'pattern' || !described.has(instancePath));
}

/** Where one of several fields is required, none of them is by itself. */
function withoutAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf').map(({ schemaPath }) => `${schemaPath}/`);
  return errors.filter(
    ({ keyword, schemaPath }) => keyword !== 'required' || !choices.some((path) => schemaPath.startsWith(path)),
  );
}

/** For a nullable field the caller is told what the value should be, not that null would be accepted. */
function withoutNullOnly(errors: readonly ErrorObject[]): ErrorObject[] {
  const isNull = ({ keyword, params }: ErrorObject) => keyword === 'type' && params['type'] === 'null';
  const explained = new Set(
    errors.filter((error) => !isNull(error)).flatMap(({ instancePath }) => placesAround(instancePath)),
  );
  return errors.filter((error) => !isNull(error) || !explained.has(error.instancePath));
}

/** A path and all paths above it. */
function placesAround(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** The path of a missing or unknown field is its own, not that of the object that it belongs to. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const name: unknown = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof name === 'string' ? instancePath + segmentOf(name) : instancePath;
}

/** What a field of an object or list adds to the JSON pointer to it. */
export const segmentOf = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  date: 'a day such as 2026-11-20',
  'date-time': 'a time such as 2026-11-20T12:00:00Z',
};

/** What the pattern of a schema with this format requires beyond it. */
const narrowedFormats: Readonly<Record<string, string>> = {
  email: 'may have at most 64 characters before the @',
  'date-time': 'must be in the years 1000 to 2999',
};

/** @param rivals the errors of a choice's other values */
function detailOf(error: ErrorObject, rivals: readonly ErrorObject[]): string {
  const { keyword, params, propertyName, message = 'is not valid' } = error;
  const limit: unknown = params['limit'];
  if (propertyName !== undefined) return `may have keys of at most ${limit} characters`;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return describeType(error);
    case 'format':
      if (params['format'] === 'uri' || params['format'] === 'uri-template') return describeUrl(error);
      if (params['format'] === 'email') return describeEmail(error);
      return formats[params['format']] ? `must be ${formats[params['format']]}` : message;
    case 'pattern':
      return describePattern(error);
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `may have at most ${limit} characters`;
    case 'minItems':
      return limit === 1 ? 'must have at least one item' : `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'maxProperties':
      return `may have at most ${limit} keys`;
    case 'maxBytes':
      return `may have at most ${error.schema} bytes as JSON`;
    case 'uniqueItems':
      return 'must not contain duplicates';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return describeUnknown(error);
    case 'oneOf':
      return describeChoice(error);
    case 'enum':
      return describeAllowed(params['allowedValues'] as unknown[]);
    case 'const':
      return describeAllowed(rivals.map(({ params }) => params['allowedValue'] as unknown));
    default:
      return message;
  }
}

/** Every amount says in its name that it counts minor units. */
function describeType({ params, data, instancePath }: ErrorObject): string {
  if (/cents$/i.test(instancePath) && isDecimal(data)) return minorUnitsMessage;
  const types = [params['type']].flat().map((type) => kinds[String(type)] ?? type);
  return `must be ${types.join(' or ')}`;
}

function describeUrl({ data }: ErrorObject): string {
  return isWebUrl(String(data))
    ? `may have at most ${urlLengthMax} characters once it is percent-encoded`
    : 'must be a URL such as https://shop.example.com/';
}

function describeEmail({ data }: ErrorObject): string {
  const [local = ''] = String(data).split('@');
  const isInternational = /[\u0080-\u{10ffff}]/u.test(local);
  return `must be an email address${isInternational ? ' with only ASCII characters before the @' : ''}`;
}

/** The schema's own examples are clearer than its pattern. */
function describePattern({ parentSchema, data, message = 'is not valid' }: ErrorObject): string {
  if (typeof data === 'string' && data.trim() === '') return 'must not be empty';
  const narrowed = narrowedFormats[String(parentSchema?.['format'])];
  if (narrowed) return narrowed;
  const examples = ((parentSchema?.['examples'] as unknown[] | undefined) ?? []).filter(
    (example) => typeof example === 'string',
  );
  return examples.length > 0 ? `must be written like ${examples.join(' or ')}` : message;
}

function describeUnknown({ params, parentSchema }: ErrorObject): string {
  const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
  const meant = nearest(name, Object.keys((parentSchema?.['properties'] as object | undefined) ?? {}));
  return meant ? `is not known here; did you mean ${meant}?` : 'is not known here';
}

function describeChoice({ schema, message = 'is not valid' }: ErrorObject): string {
  const alternatives = Array.isArray(schema) ? (schema as readonly { readonly required?: readonly string[] }[]) : [];
  const fields = alternatives.flatMap(({ required = [] }) => required);
  return fields.length > 0 ? `must have exactly one of ${fields.join(', ')}` : message;
}

function describeAllowed(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
}
