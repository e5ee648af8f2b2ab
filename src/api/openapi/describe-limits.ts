import type { Route } from '#src/api/lib/define-route.ts';
import { emailLimitOf, limitOf } from '#src/api/lib/limits.ts';

/** How often a route may be called and what counts besides, in sentences. */
export function describeLimits({ limit, emails, guesses = [] }: Route): string[] {
  return [
    ...(limit ? [describeLimit(limit)] : []),
    ...guesses.map(
      (guess) => `A wrong \`${guess.field}\` counts as a preview of one: ${countOf(limitOf(guess.limit))}.`,
    ),
    ...(emails ? [describeEmails(emails)] : []),
  ];
}

function describeLimit(name: NonNullable<Route['limit']>): string {
  const { perShopper, perSecretKey, perStore, seconds } = limitOf(name);
  if (perStore) {
    return (
      'Not limited in normal use. More than ' +
      `${perShopper} ${per(seconds)} from one client, or ${perStore} for the store unless it sets another number, ` +
      'answer 503 `service_unavailable` with `Retry-After`.'
    );
  }
  if (!perShopper) return 'Rate limit: `requests_per_minute` of the key, if it is set.';
  const server = perSecretKey
    ? `; ${perSecretKey} for a secret key, over all operations, unless it has its own limit`
    : '';
  return `Rate limit: ${countOf({ perShopper, seconds })}${server}.`;
}

function describeEmails(name: NonNullable<Route['emails']>): string {
  const { perShopper, perRecipient, perStore, isSilent, seconds } = emailLimitOf(name);
  const store = perStore ? ` and ${perStore} for the store` : '';
  const beyond = isSilent ? 'Beyond that the answer is the same and nothing is sent' : 'Beyond that it answers 429';
  return `Emails: ${perShopper} ${per(seconds)} for a shopper, ${perRecipient} to one address${store}. ${beyond}.`;
}

const countOf = ({ perShopper, seconds }: { perShopper?: number; seconds: number }) =>
  `${perShopper} ${per(seconds)} for a shopper`;

/** The lengths that windows have. */
const words: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3600: 'an hour', 86400: 'a day' };

const per = (seconds: number) => words[seconds] ?? `in ${seconds} s`;
