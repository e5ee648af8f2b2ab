import type { Settings } from '#src/domain/settings.ts';
import { parseDuration, seconds } from '#src/lib/duration.ts';
import type { Issue } from '#src/lib/validation.ts';

type Written = string | null | undefined;

/** A duration within its bounds, such as `35m` to `23h`. On a developer's machine one second is enough. */
export function checkDuration(path: string, written: Written, [least, most]: readonly [string, string], { localMode }: Settings): Issue[] {
  if (written === null || written === undefined) return [];
  const duration = parseDuration(written) ?? 0;
  const leastMs = localMode ? seconds(1) : (parseDuration(least) ?? 0);
  const isWithin = duration >= leastMs && duration <= (parseDuration(most) ?? 0);
  const hint = !isWithin && !localMode && duration < seconds(60) ? '; shorter times are for LOCAL_MODE=1' : '';
  return isWithin ? [] : [{ path, code: 'duration', detail: `must be from ${localMode ? '1s' : least} to ${most}${hint}` }];
}

/** An address of the web: https, and on a developer's machine also http. Without a password in it. */
export function checkWebAddress(path: string, written: Written, { localMode }: Settings): Issue[] {
  if (written === null || written === undefined) return [];
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) return [issue(path, 'must be an https address')];
  if (url.protocol === 'http:' && !localMode) return [issue(path, 'must be https; http is for LOCAL_MODE=1')];
  return url.username || url.password ? [issue(path, 'must not hold a name or a password')] : [];
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

export function checkSender(path: string, written: Written): Issue[] {
  const isSender = written === null || written === undefined || /^(?:[^<>\r\n]+ <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/.test(written);
  return isSender ? [] : [issue(path, 'must be an address, or "Name <address>"')];
}

export function issue(path: string, detail: string): Issue {
  return { path, code: 'refused', detail };
}
