import { toDecimal, writtenDecimals } from '../../../lib/currency.ts';

/** By currency: it takes longer to make one than to write with it. */
const moneyFormats = new Map<string, Intl.NumberFormat>();

/** Minor units as people write them, `€12.50`. */
export function formatMoney(cents: number, currency: string): string {
  const format =
    moneyFormats.get(currency) ??
    new Intl.NumberFormat(undefined, { style: 'currency', currency, ...writtenDecimals(currency) });
  moneyFormats.set(currency, format);
  return format.format(toDecimal(cents, currency));
}

/** What marks an amount as one of this currency, such as `$` and `USD`. */
export function signsOf(currency: string): string[] {
  const signs = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) =>
    new Intl.NumberFormat(undefined, { style: 'currency', currency, currencyDisplay })
      .formatToParts(0)
      .find(({ type }) => type === 'currency'),
  );
  return [currency, ...signs.flatMap((part) => part?.value ?? [])];
}

/**
 * A time as people write it, in the calendar in which browsers have it entered: that of a locale may be another one. What
 * is written from right to left is in its own order wherever it stands.
 */
function writeTime(time: string, options: Intl.DateTimeFormatOptions): string {
  const text = new Intl.DateTimeFormat(undefined, { calendar: 'gregory', ...options }).format(new Date(time));
  return /[\u200f\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text) ? isolate(text) : text;
}

/** A time in the zone of this computer. */
export const formatTime = (time: string): string => writeTime(time, { dateStyle: 'medium', timeStyle: 'short' });

export const formatDate = (time: string): string => writeTime(time, { dateStyle: 'long' });

/** The time zone of this computer, such as "Central European Time". */
export const nameOfZone = (): string | undefined =>
  new Intl.DateTimeFormat(undefined, { timeZoneName: 'longGeneric' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value;

/** The name of the country with a code, or the code where there is no such country. */
export function formatCountry(code: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** A day in UTC. */
export const formatDay = (day: string): string => writeTime(day, { dateStyle: 'medium', timeZone: 'UTC' });

export const formatCount = (count: number): string => new Intl.NumberFormat().format(count);

/** @param locale by default that of the browser */
export const formatPercent = (percent: number, locale?: string): string =>
  `${new Intl.NumberFormat(locale, { maximumFractionDigits: 4 }).format(percent)} %`;

export const formatOrders = (count: number): string => `${formatCount(count)} ${count === 1 ? 'order' : 'orders'}`;

export const formatDays = (count: number): string => `${formatCount(count)} ${count === 1 ? 'day' : 'days'}`;

/** A sentence as the heading of so many. */
export const headingOf = (message: string, count: number): string =>
  `${message.replace(/\.$/, '')} (${formatCount(count)})`;

/** A text within another one, which its direction does not reorder: "2 × " stays before a name in Arabic. */
export const isolate = (text: string): string => `\u2068${text}\u2069`;

/** A code of the API as words: `needs_attention` is "Needs attention". */
export function formatCode(code: string): string {
  const words = code.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The options of an input for codes of the API. */
export const choicesOf = (codes: readonly string[]): { id: string; name: string }[] =>
  codes.map((id) => ({ id, name: formatCode(id) }));

/** Whether a person agreed to marketing emails. */
export const formatConsent = (consent: boolean | null): string =>
  consent === null ? 'Never decided' : consent ? 'Accepted' : 'Declined';
