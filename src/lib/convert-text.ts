import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';

import { withAsciiDomain } from './email-address.ts';
import { ungrouped } from './typed-code.ts';

/**
 * The kinds of numbers that may come as text. Minor units are separate: a caller who sends a decimal meant major units.
 */
export interface NumeralBounds {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum: number;
  readonly isAmount?: true;
}

/** Values of other fields, by their names. */
export type Choice = Readonly<Record<string, string | readonly (string | null)[]>>;

interface Bounded {
  readonly maxLength?: number;
}

interface Place {
  readonly parentData: unknown;
  readonly parentDataProperty: string | number;
}

/** A text that is so many times as long as its bound is left as it is: it is rejected, and rewriting it would take long. */
const rewrittenTimesMax = 10;

/** The keywords of values that may come as text. */
export const textKeywords = ['integerLike', 'numberLike', 'booleanLike'] as const;

/**
 * Add keywords to a validator for values that are converted: each is replaced, where it stands.
 *
 * @param isQuery The values are of a URL's query, in which a plus sign that was not escaped has become a space.
 */
export function addTextKeywords(ajv: Ajv2020, { isQuery }: { isQuery: boolean }): void {
  const add = <Bounds>(
    keyword: (typeof textKeywords)[number],
    read: (value: unknown, bounds: Bounds) => unknown,
    describe: (bounds: Bounds, value: unknown) => string,
  ) => {
    const validate = Object.assign(
      (bounds: Bounds, value: unknown, _schema?: unknown, place?: Place): boolean => {
        const converted = read(value, bounds);
        if (converted === undefined)
          validate.errors = [{ keyword, message: describe(bounds, value), params: { bounds } }];
        else if (place) Object.assign(place.parentData as object, { [place.parentDataProperty]: converted });
        return converted !== undefined;
      },
      { errors: [] as Partial<ErrorObject>[] },
    );
    ajv.addKeyword({ keyword, modifying: true, errors: true, validate });
  };
  add<NumeralBounds>('integerLike', readInteger, describeInteger);
  add<NumeralBounds>('numberLike', readNumber, describeNumber);
  add('booleanLike', readBoolean, () => 'must be true or false');
  addRewrite('trimmed', (text) => text.trim());
  // Of ASCII only: in capitals, ß is the code of South Sudan.
  addRewrite('inCapitals', (text) => text.replaceAll(/[a-z]+/g, (small) => small.toUpperCase()));
  addRewrite('ungrouped', ungrouped);
  addRewrite('asciiDomain', (text) => withAsciiDomain(isQuery ? text.replaceAll(' ', '+') : text));
  addRewrite('emptyIsNull', (text) => (text.trim() === '' ? null : text));
  ajv.addKeyword({ keyword: 'readWith', modifying: true, before: 'const', validate: omitUnread });

  /** Comes before all other keywords, so that they see the rewritten text. */
  function addRewrite(keyword: string, rewrite: (text: string) => string | null): void {
    const validate = (
      _schema: true,
      value: unknown,
      { maxLength = Infinity }: Bounded = {},
      place?: Place,
    ): boolean => {
      if (place && typeof value === 'string' && value.length <= rewrittenTimesMax * maxLength)
        Object.assign(place.parentData as object, { [place.parentDataProperty]: rewrite(value) });
      return true;
    };
    ajv.addKeyword({ keyword, modifying: true, before: 'const', validate });
  }
}

/** What is not read beside the other fields counts as omitted, whatever it is. */
function omitUnread(choice: Choice, _value: unknown, _schema?: unknown, place?: Place): boolean {
  const siblings = place?.parentData as Partial<Record<string, string | null>> | undefined;
  const isRead = Object.entries(choice).every(([name, values]) => [values].flat().includes(siblings?.[name] ?? null));
  if (place && !isRead) Object.assign(place.parentData as object, { [place.parentDataProperty]: null });
  return true;
}

const integerText = /^-?[0-9]{1,12}$/;
const decimalText = /^-?[0-9]{1,12}(\.[0-9]{1,12})?$/;

function readInteger(value: unknown, bounds: NumeralBounds): number | undefined {
  const number = typeof value === 'string' && integerText.test(value) ? Number(value) : value;
  return Number.isInteger(number) && isWithin(number as number, bounds) ? (number as number) : undefined;
}

function readNumber(value: unknown, bounds: NumeralBounds): number | undefined {
  const number = typeof value === 'string' && decimalText.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && isWithin(number, bounds) ? number : undefined;
}

function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

const isWithin = (number: number, { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum }: NumeralBounds) =>
  number >= minimum && number > exclusiveMinimum && number <= maximum;

function describeInteger({ minimum, maximum, isAmount }: NumeralBounds, value: unknown): string {
  if (isAmount && isDecimal(value)) return minorUnitsMessage;
  return `must be a whole number from ${minimum} to ${maximum}`;
}

export const minorUnitsMessage = 'must be a whole number of minor units, such as cents: 1999 for 19.99';

/** Also a text that is whole in value: `100.00` was meant in the major unit. */
export const isDecimal = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('.') && decimalText.test(value)
    : typeof value === 'number' && value % 1 !== 0;

function describeNumber({ minimum, exclusiveMinimum, maximum }: NumeralBounds): string {
  const from = minimum === undefined ? `more than ${exclusiveMinimum} and at most` : `from ${minimum} to`;
  return `must be a number ${from} ${maximum}`;
}
