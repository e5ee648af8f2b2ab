import type { OpenedKey } from '#src/domain/tenants/index.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { clientNetworkOf } from '#src/lib/network-of.ts';
import type { Visitor } from './authenticate.ts';
import type { Route } from './define-route.ts';
import { emailLimitOf, type LimitName, limitOf } from './limits.ts';
import type { Share } from './windows.ts';

/** Who is counted: a visitor, the shopper's IP where it is known, and the key of the storefront's server that sends. */
export interface Party {
  readonly visitor: Visitor;
  readonly ip: string | undefined;
  readonly server: OpenedKey | undefined;
}

/**
 * The limits of this operation for this caller: of the key, over all operations, and of the shopper, in a window of
 * this operation alone unless the limit protects a secret that several operations could be used to guess.
 */
export function rateOf(route: Route, name: LimitName, party: Party): Share[] {
  const { perShopper, perSecretKey, seconds, protects } = limitOf(name);
  const window = protects ? name : windowOf(route, name);
  const { key } = party.visitor;
  const perKey = key?.requestsPerMinute ?? (key?.kind === 'secret' ? perSecretKey : undefined);
  return [
    ...(key && perKey ? [{ window: 'key', seconds: 60, subject: key.id, points: perKey }] : []),
    ...(perShopper
      ? shopperOf(party, { acrossKeys: Boolean(protects) }).map((subject) => ({
          window,
          seconds,
          subject,
          points: perShopper,
        }))
      : []),
  ];
}

/** Where an operation is counted alone, so that it is not closed by a flood of another. */
const windowOf = ({ method, path }: Route, name: LimitName) => `${name}:${method}:${path}`;

/**
 * What a client may use of a store that sets a low ceiling is half of it, so that no client closes it for all others.
 */
export function ceilingOf(route: Route, party: Party): Share[] {
  const { limit } = route;
  const { perShopper, perStore, seconds } = limit ? limitOf(limit) : {};
  if (!limit || !perStore || !perShopper || !seconds) return [];
  const { tenant } = party.visitor;
  const ofStore = tenant.requestsPerSecond ?? perStore;
  const ofClient = Math.max(1, Math.min(perShopper, Math.floor(ofStore / 2)));
  const window = windowOf(route, limit);
  return [
    ...shopperOf(party).map((subject) => ({ window: `${window}:client`, seconds, subject, points: ofClient })),
    { window, seconds, subject: tenant.id, points: ofStore },
  ];
}

/** The limits that an email to this recipient counts against. The store's own server is trusted. */
export function emailsOf(
  { emails }: Route,
  party: Party,
  { recipient, pepper }: { recipient: string; pepper: Buffer },
): Share[] {
  if (!emails) return [];
  const { perShopper, perRecipient, perRecipientAndShopper, perStore, seconds } = emailLimitOf(emails);
  const { tenant, key } = party.visitor;
  const share = (part: string, subject: string, points: number) => ({
    window: `emails:${emails}:${part}`,
    seconds,
    subject,
    points,
  });
  const hash = hmacSha256(pepper, `recipient\n${tenant.id}\n${normaliseEmail(recipient)}`).toString('base64url');
  const shopper = shopperOf(party, { acrossKeys: true });
  return [
    ...shopper.map((subject) => share('shopper', subject, perShopper)),
    ...(perRecipientAndShopper
      ? [share('recipient-and-shopper', [hash, ...shopper].join(':'), perRecipientAndShopper)]
      : []),
    share('recipient', hash, perRecipient),
    ...(perStore && key?.kind !== 'secret' ? [share('store', tenant.id, perStore)] : []),
  ];
}

/**
 * What a shopper is counted by; undefined if unknown. Who is signed in is counted by their session, all others by
 * their network. Every browser has the publishable key: if it were counted, one shopper could block the whole store. A
 * shopper is counted apart with each publishable key, and without one, unless `acrossKeys` says that this would allow
 * more guesses or emails.
 */
function shopperOf({ visitor: { tenant, key, session, staff }, ip }: Party, { acrossKeys = false } = {}): string[] {
  const shopper = (session ?? staff)?.id ?? (ip === undefined ? undefined : clientNetworkOf(ip));
  if (shopper === undefined) return [];
  return [`${key?.kind === 'publishable' && !acrossKeys ? key.id : tenant.id}:${shopper}`];
}
