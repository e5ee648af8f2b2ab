import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';

import { boundsFirst } from './bounds-first.ts';
import { addTextKeywords } from './convert-text.ts';
import { describeIssues, type Issue } from './describe-issues.ts';
import { replaceLengthKeywords } from './text-length.ts';
import { isUrl } from './url.ts';

export type { Issue };

const issuesMax = 20;

/** The end of a timestamp with an offset of 16 hours or more. */
const tooFarFromUtc = /[+-](1[6-9]|2[0-3])(:?[0-9]{2})?$/;

const strict = createAjv({ coerceTypes: false });
const fromText = createAjv({ coerceTypes: true });
const compiled = {
  strict: new WeakMap<TSchema, ValidateFunction>(),
  fromText: new WeakMap<TSchema, ValidateFunction>(),
};

/**
 * The issues of this value; none if it is valid. Texts of `IntegerLike` and similar fields are converted to numbers.
 * At most twenty issues, unless `max` is given.
 */
export function issuesOf(schema: TSchema, value: unknown, { max = issuesMax }: { max?: number } = {}): Issue[] {
  return findIssues('strict', schema, value, max);
}

/** The same for what can only arrive as text: path parameters, queries, headers. Converts in place. */
export function issuesOfText(
  schema: TSchema,
  value: Record<string, unknown>,
  { max = issuesMax }: { max?: number } = {},
): Issue[] {
  const given = { ...value };
  return [...findIssues('fromText', schema, value, max), ...misreadIn(given, value)].slice(0, max);
}

const decimalText = /^[-+.0-9\s]{1,50}$/;

/** The validator reads every numeral of JavaScript: 0x50, 1e3, and 1e309 as an endless number, held against no bound. */
function misreadIn(given: Record<string, unknown>, converted: Record<string, unknown>): Issue[] {
  return Object.entries(given)
    .filter(([name, text]) => typeof converted[name] === 'number' && !decimalText.test(String(text)))
    .map(([name]) => ({ path: `/${name}`, code: 'type', detail: 'must be a decimal number of at most 50 characters' }));
}

/** Whether the value fits its schema. */
export function fits<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return validatorOf('strict', schema)(value);
}

function findIssues(kind: keyof typeof compiled, schema: TSchema, value: unknown, max: number): Issue[] {
  const validate = validatorOf(kind, schema);
  return validate(value) ? [] : describeIssues(validate.errors ?? [], max);
}

function validatorOf(kind: keyof typeof compiled, schema: TSchema): ValidateFunction {
  const known = compiled[kind].get(schema);
  if (known) return known;
  const validate = (kind === 'strict' ? strict : fromText).compile(boundsFirst(schema) as object);
  compiled[kind].set(schema, validate);
  return validate;
}

/** Whether an object has at most so many bytes when it is written as JSON. */
function hasBytes(maxBytes: number, value: object): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
}

function createAjv(options: { coerceTypes: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictTypes: false,
    useDefaults: true,
    code: { optimize: false },
    // Every process would first compile the schema of all schemas. Ours are checked by a test.
    validateSchema: false,
  });
  // The package's types describe a namespace where its CommonJS export is the function itself.
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  // The package's own check takes only what RFC 3986 allows, which is less than browsers and their programs write.
  ajv.addFormat('uri', { type: 'string', validate: isUrl });
  ajv.addFormat('uri-template', { type: 'string', validate: isUrl });
  // RFC 3339 has leap seconds, which neither a Date nor a clock here has, and offsets that no place has and PostgreSQL
  // does not read.
  const { validate: isTime } = ajv.formats['date-time'] as { validate(text: string): boolean };
  const isMoment = (text: string) => isTime(text) && !Number.isNaN(Date.parse(text)) && !tooFarFromUtc.test(text);
  ajv.addFormat('date-time', { type: 'string', validate: isMoment });
  addTextKeywords(ajv, { isQuery: options.coerceTypes });
  replaceLengthKeywords(ajv);
  ajv.addKeyword('documentedAs');
  ajv.addKeyword({ keyword: 'maxBytes', type: 'object', schemaType: 'number', validate: hasBytes });
  return ajv;
}
