import Type, {
  type Static,
  type TArray,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TString,
  type TUnion,
  type TUnsafe,
} from 'typebox';

import type { Choice, NumeralBounds } from './convert-text.ts';
import { durationPattern } from './duration.ts';
import { emailLengthMax } from './email-address.ts';
import { type IdPrefix, idPattern } from './ids.ts';
import { urlLengthMax } from './url.ts';

export { type Static, type TNull, type TObject, type TSchema, type TUnion, Type };

/**
 * The limit of any amount, in minor units: of as many digits that a hundred lines of 999 pieces still add up exactly.
 * The payment provider charges more at once, with a card.
 */
export const centsMax = 9_999_999_999;

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** An optional field that may also be sent as null: both mean that it is omitted. */
export const Omittable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema));

/** The same of a text that may also be empty, or blanks: forms send what was not filled in. */
export const OmittableOrEmpty = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()], { emptyIsNull: true }));

/**
 * The same of a field that is read only where other fields have these values, or one of them; null is one that is
 * omitted. Elsewhere it may be anything.
 */
export const ReadWith = <Schema extends TSchema>(choice: Choice, schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()], { readWith: choice, emptyIsNull: true }));

export const Text = (characters: number, options: object = {}) =>
  Type.String({ minLength: 1, maxLength: characters, ...options });

/** Text that is more than blanks: what people read as a name. */
export const Name = (characters: number, options: object = {}) => Text(characters, { pattern: '\\S', ...options });

/** The same without line breaks and other control characters, where people choose a name for lists and emails. */
export const Line = (characters: number, options: object = {}) =>
  Text(characters, { pattern: '^(?=.*\\S)[^\\x00-\\x1f\\x7f]*$', ...options });

/** Of a parcel, as the carrier knows it: it may be typed in the groups in which it is printed. */
export const TrackingNumber = Line(100, { ungrouped: true, examples: ['9400100000000000000000'] });

export const Slug = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 100, examples: ['oak-bowl'] });
/**
 * Spaces around it are no part of it, and an international domain becomes punycode. It keeps its case: see
 * `normaliseEmail`. What precedes the @ is ASCII, because not every mail server and provider takes more.
 */
export const Email = Type.String({
  title: 'Email',
  trimmed: true,
  asciiDomain: true,
  format: 'email',
  pattern: '^.{1,64}@',
  maxLength: emailLengthMax,
  examples: ['ada@example.com'],
});
/** Of a page or an image: http or https. */
export const Url = Type.String({ format: 'uri', maxLength: urlLengthMax, examples: ['https://shop.example.com/'] });
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', examples: ['USD'] });
export const Country = Type.String({ pattern: '^[A-Z]{2}$', examples: ['US'] });
/** The same as an input: in either case, read in capitals. */
export const AnyCaseCountry = Type.String({
  ...Country,
  pattern: '^[A-Za-z]{2}$',
  trimmed: true,
  inCapitals: true,
});
/** A type of its own, by which the row of a view has a time where the view has its text. */
export interface TTimestamp extends TString {
  title: 'Timestamp';
}

/** From the year 1000 to 2999: in any zone, a moment that can be stored. */
export const Timestamp = Type.String({
  title: 'Timestamp',
  format: 'date-time',
  pattern: '^(?!0|[3-9][0-9]{3}-)',
  maxLength: 64,
  examples: ['2026-11-20T12:00:00.000Z'],
}) as TTimestamp;
export const Duration = Type.String({ pattern: durationPattern, examples: ['15m'] });
export const Cents = Type.Integer({ minimum: 0, maximum: centsMax, examples: [1900] });
export const Id = (prefix: IdPrefix) =>
  Type.String({ pattern: idPattern(prefix), examples: [`${prefix}_01m7xfs208fk1sctzyr3afnpz3`] });

/** Free JSON of a caller's own, passed through unread. */
export const FreeForm = Type.Record(Type.String(), Type.Unknown());

/** The same as an input, of at most 8 KB when it is written as JSON. */
export const FreeFormInput = (options: object = {}): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    maxBytes: 8192,
    ...options,
  });

/** Any value. The API document shows this schema, by which the handler validates it. */
export const DocumentedAs = (schema: TSchema, options: object = {}): TUnsafe<unknown> =>
  Type.Unsafe<unknown>({ documentedAs: schema, ...options });

/**
 * A whole number that the specification declares as a string: a number or a numeric string is accepted, and the
 * handler always gets a number (the keywords of `convert-text.ts` convert it).
 */
export function IntegerLike(bounds: NumeralBounds, options: object = {}): TUnsafe<number> {
  return Type.Unsafe<number>({
    type: ['integer', 'string'],
    integerLike: bounds,
    examples: [bounds.minimum ?? bounds.maximum],
    ...options,
  });
}

/** The same for an amount in minor units. A decimal is rejected with a message that explains minor units. */
export const CentsLike = Type.Unsafe<number>({
  type: ['number', 'string'],
  integerLike: { minimum: 0, maximum: centsMax, isAmount: true },
  examples: [1900],
  description: 'In minor units, such as cents: 1999 for 19.99.',
});

/** The same of any number. */
export function NumberLike(bounds: NumeralBounds, options: object = {}): TUnsafe<number> {
  return Type.Unsafe<number>({
    type: ['number', 'string'],
    numberLike: bounds,
    examples: [bounds.maximum],
    ...options,
  });
}

/** The same of a yes or no: `"true"` and `"false"` are accepted. */
export const BooleanLike = (options: object = {}): TUnsafe<boolean> =>
  Type.Unsafe<boolean>({ type: ['boolean', 'string'], booleanLike: true, examples: [true], ...options });

const closedSchemas = new WeakMap<TSchema, TSchema>();

/**
 * The same schema, but rejecting unknown fields at every depth: for files that people write, where an unknown field is
 * a mistake. Requests may have unknown fields: a caller may be newer than this release.
 *
 * It is made once, because a validator stays for each schema.
 */
export function closed<Schema extends TSchema>(schema: Schema): Schema {
  const known = closedSchemas.get(schema) ?? (close(schema, { isPart: false }) as TSchema);
  closedSchemas.set(schema, known);
  return known as Schema;
}

/**
 * The parts of an intersection each define only some fields, so the whole is closed and the parts are not. Where all
 * fields are in one place, `additionalProperties` means the same and, unlike `unevaluatedProperties`, does not report
 * known fields when another one is wrong.
 */
function close(schema: unknown, { isPart }: { isPart: boolean }): unknown {
  if (Array.isArray(schema)) return schema.map((item) => close(item, { isPart }));
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === 'properties') return [keyword, closeFields(value)];
    if (keyword === 'items' || keyword === 'anyOf' || keyword === 'oneOf')
      return [keyword, close(value, { isPart: false })];
    return [keyword, keyword === 'allOf' ? close(value, { isPart: true }) : value];
  });
  return { ...Object.fromEntries(inside), ...(isPart || 'additionalProperties' in schema ? {} : closing(schema)) };
}

function closing(schema: object): object {
  if ('properties' in schema) return { additionalProperties: false };
  return 'allOf' in schema ? { unevaluatedProperties: false } : {};
}

function closeFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, close(field, { isPart: false })]));
}

/** The fields of a list request. Query text is converted before it is validated. */
export const PageQuery = {
  cursor: Type.Optional(
    Type.String({ maxLength: 4000, description: 'The `cursor` of the previous page, to get the next one.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'The page size.' })),
} satisfies Record<string, TOptional<TSchema>>;

/** The response of a list: its rows under their name, and the cursor to the next page; null on the last one. */
export function PageOf<Name extends string, Row extends TSchema>(name: Name, row: Row) {
  const fields = { [name]: Type.Array(row), cursor: Nullable(Type.String()) };
  return Type.Object(fields as Record<Name, TArray<Row>> & { cursor: TUnion<[TString, TNull]> });
}

/** The response of an operation that returns nothing but its success. */
export const Done = Type.Object({ ok: Type.Literal(true) });
