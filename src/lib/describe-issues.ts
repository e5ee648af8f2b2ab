import type { ErrorObject } from 'ajv/dist/2020.js';

import { nearest } from './nearest.ts';

/** One thing that is wrong with a value, and where: `path` is a JSON pointer. */
export interface Issue {
  path: string;
  code: string;
  detail: string;
}

/** What the validator found, each in words for whoever sent the value; of a failed union only what its branches say. */
export function describeIssues(errors: readonly ErrorObject[]): Issue[] {
  const telling = errors.filter((error) => !['anyOf', 'if'].includes(error.keyword) && !isNullOnly(error, errors));
  const issues = (telling.length > 0 ? telling : errors).map((error) => ({
    path: pathOf(error),
    code: error.keyword,
    detail: detailOf(error, errors),
  }));
  const first = (issue: Issue) => issues.findIndex(({ path, code }) => path === issue.path && code === issue.code);
  return issues.filter((issue, index) => first(issue) === index);
}

/** Whoever sends something for a field that may be null hears what it should be, and not that null would do. */
function isNullOnly({ keyword, params, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (keyword !== 'type' || params['type'] !== 'null') return false;
  const others = all.filter((other) => `${other.instancePath}/`.startsWith(`${instancePath}/`) && other.keyword !== 'anyOf');
  return others.some((other) => other.params['type'] !== 'null');
}

/** The place of a field that is missing or unknown is its own, not that of what it would stand in. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const name: unknown = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof name !== 'string') return instancePath;
  return `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text', integer: 'a whole number', number: 'a number', boolean: 'true or false', array: 'a list',
  object: 'an object', null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  email: 'a mail address', uri: 'a web address', uuid: 'a UUID', date: 'a day such as 2026-11-20',
  'date-time': 'a time such as 2026-11-20T12:00:00Z',
};

function detailOf(error: ErrorObject, all: readonly ErrorObject[]): string {
  const { keyword, params, message = 'is not valid' } = error;
  const limit: unknown = params['limit'];
  switch (keyword) {
    case 'required': return 'is required';
    case 'type': return `must be ${[params['type']].flat().map((type) => kinds[String(type)] ?? type).join(' or ')}`;
    case 'format': return formats[params['format']] ? `must be ${formats[params['format']]}` : message;
    case 'pattern': return describePattern(error);
    case 'minimum': return `must be at least ${limit}`;
    case 'maximum': return `must be at most ${limit}`;
    case 'exclusiveMinimum': return `must be more than ${limit}`;
    case 'exclusiveMaximum': return `must be less than ${limit}`;
    case 'minLength': return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength': return `may have at most ${limit} characters`;
    case 'minItems': return limit === 1 ? 'must hold at least one' : `must hold at least ${limit}`;
    case 'maxItems': return `may hold at most ${limit}`;
    case 'uniqueItems': return 'must not hold the same twice';
    case 'additionalProperties':
    case 'unevaluatedProperties': return describeUnknown(error);
    case 'enum': return describeAllowed(params['allowedValues'] as unknown[], error);
    case 'const': {
      const rivals = all.filter((other) => other.keyword === 'const' && other.instancePath === error.instancePath);
      return describeAllowed(rivals.map(({ params }) => params['allowedValue'] as unknown), error);
    }
    default: return message;
  }
}

/** The schema's own example says more than its pattern. */
function describePattern({ parentSchema, message = 'is not valid' }: ErrorObject): string {
  const [example] = (parentSchema?.['examples'] as unknown[] | undefined) ?? [];
  return typeof example === 'string' ? `must be written like ${example}` : message;
}

function describeUnknown({ params, parentSchema }: ErrorObject): string {
  const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
  const meant = nearest(name, Object.keys((parentSchema?.['properties'] as object | undefined) ?? {}));
  return meant ? `is not known here; did you mean ${meant}?` : 'is not known here';
}

const allowedShownMax = 12;

/** Long lists are left to the documentation. */
function describeAllowed(values: readonly unknown[], error: ErrorObject): string {
  if (values.length > allowedShownMax) return error.message ?? 'is not valid';
  return `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
}
