import { chargeStepOf } from '#src/lib/currency.ts';
import { minutes, parseDuration } from '#src/lib/duration.ts';
import { isEmailAddress, readSender } from '#src/lib/email-address.ts';
import type { Cents } from '#src/lib/money.ts';
import type { Issue } from '#src/lib/validation.ts';
import type { Settings } from './settings.ts';

type Written = string | null | undefined;

/** What a duration may be, such as `35m` to `23h`. */
export type DurationBounds = readonly [least: string, most: string];

/** A duration within its bounds. On a developer's machine one second is enough. */
export function checkDuration(
  path: string,
  written: Written,
  bounds: DurationBounds,
  { localMode }: Settings,
): Issue[] {
  if (written === null || written === undefined) return [];
  const [least, most] = [localMode ? '1s' : bounds[0], bounds[1]];
  const duration = parseDuration(written) ?? 0;
  if (duration >= (parseDuration(least) ?? 0) && duration <= (parseDuration(most) ?? 0)) return [];
  const hint = !localMode && duration < minutes(1) ? '; shorter times are for LOCAL_MODE=1' : '';
  return [issue(path, `must be from ${least} to ${most}${hint}`)];
}

/** An address of the web: https, and on a developer's machine also http. Without a password in it. */
export function checkWebAddress(path: string, written: Written, { localMode }: Settings): Issue[] {
  if (written === null || written === undefined) return [];
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) return [issue(path, 'must be an https URL')];
  if (url.protocol === 'http:' && !localMode) return [issue(path, 'must be https; http is for LOCAL_MODE=1')];
  return url.username || url.password ? [issue(path, 'must not contain a user name or a password')] : [];
}

/** Something that the platform's own tables know: a locale, a time zone, a currency. */
export function checkKnown(path: string, what: string, isKnown: () => boolean): Issue[] {
  try {
    if (isKnown()) return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return [issue(path, `is no ${what} that is known`)];
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** A country by its code of ISO 3166: GB, and not UK, which many write. */
export function checkCountry(path: string, code: string): Issue[] {
  const { region } = new Intl.Locale(`und-${code}`);
  if (region === code && regions.of(code)) return [];
  return [issue(path, `is no country code${region && region !== code ? `; did you mean ${region}?` : ''}`)];
}

/** An amount that is charged: the payment provider charges no part of its smallest amount, such as of a króna. */
export function checkCharge(path: string, cents: Cents, currency: string): Issue[] {
  const step = chargeStepOf(currency);
  return cents % step === 0 ? [] : [issue(path, `must be a multiple of ${step}, to be charged in ${currency}`)];
}

/** One plain address, under any name. A name that holds an address was meant to be a list. */
export function checkSender(path: string, written: Written): Issue[] {
  if (written === null || written === undefined) return [];
  const { name, address } = readSender(written);
  if (isEmailAddress(address) && !/<[^<>\s@]+@[^<>\s@]+>/.test(name)) return [];
  return [issue(path, 'must be an email address, or "Name <email>"')];
}

export function issue(path: string, detail: string): Issue {
  return { path, code: 'refused', detail };
}
