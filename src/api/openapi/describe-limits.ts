import type { Route } from '#src/api/lib/define-route.ts';
import { emailLimitOf, limitOf } from '#src/api/lib/limits.ts';
import type { Operation } from './document.ts';

/** How often a route may be called and which other limits apply, a text for each. */
export function describeLimits(route: Route): string[] {
  const { limit, emails, guesses = [] } = route;
  return [
    ...(limit && limitOf(limit).perShopper ? [describeLimit(limit, route)] : []),
    ...guesses.map(({ field, limit }) => describeGuess(field, limitOf(limit))),
    ...(emails ? [describeEmails(emails)] : []),
  ];
}

/** The same for programs. What counts a key alone has its numbers in the key. */
export function limitsOf({ limit, emails }: Route): Pick<Operation, 'x-rate-limit' | 'x-email-limit'> {
  const requests = limit && limitOf(limit);
  const mails = emails && emailLimitOf(emails);
  return {
    ...(requests?.perShopper && {
      'x-rate-limit': {
        seconds: requests.seconds,
        per_shopper: requests.perShopper,
        ...(requests.perSecretKey && { per_secret_key: requests.perSecretKey }),
        ...(requests.perStore && { per_store: requests.perStore }),
      },
    }),
    ...(mails && {
      'x-email-limit': {
        seconds: mails.seconds,
        per_shopper: mails.perShopper,
        per_recipient: mails.perRecipient,
        ...(mails.perStore && { per_store: mails.perStore }),
      },
    }),
  };
}

function describeLimit(name: NonNullable<Route['limit']>, { audience }: Route): string {
  const { perShopper, perSecretKey, perStore, protects, seconds } = limitOf(name);
  if (perStore) {
    const most = `${perShopper} requests ${per(seconds)} from one client, ${perStore} for the store`;
    return `Not limited in normal use: ${most}. Beyond that 503 \`service_unavailable\`.`;
  }
  // A session carries no key, so no key's limit applies to it.
  const server =
    perSecretKey && audience.kind !== 'session' && audience.kind !== 'staff'
      ? `; ${perSecretKey.toLocaleString('en-US')} for a secret key`
      : '';
  const together = protects ? ` Operations that could be used to guess ${protects} are counted together.` : '';
  return `Rate limit: ${countOf({ perShopper, seconds })}${server}.${together}`;
}

const describeGuess = (field: string, { protects, ...limit }: ReturnType<typeof limitOf>) =>
  `A wrong \`${field}\` counts with the operations that could be used to guess ${protects}: ${countOf(limit)}.`;

function describeEmails(name: NonNullable<Route['emails']>): string {
  const { perShopper, perRecipient, perRecipientAndShopper, perStore, isSilent, seconds } = emailLimitOf(name);
  const ofShopper = perRecipientAndShopper ? ` (${perRecipientAndShopper} for each shopper)` : '';
  const store = perStore ? `, ${perStore.toLocaleString('en-US')} for the store` : '';
  const shares = `${perShopper} ${per(seconds)} for a shopper, ${perRecipient} to one recipient${ofShopper}${store}`;
  const beyond = isSilent
    ? 'Beyond that the response is the same and nothing is sent'
    : 'Beyond that the response is 429';
  return `Emails: ${shares}, over all operations that send them. ${beyond}.`;
}

const countOf = ({ perShopper, seconds }: { perShopper?: number | undefined; seconds: number }) =>
  `${perShopper} ${per(seconds)} for a shopper`;

/** The lengths that windows have. */
const words: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3600: 'an hour', 86400: 'a day' };

const per = (seconds: number) => words[seconds] ?? `in ${seconds} s`;
