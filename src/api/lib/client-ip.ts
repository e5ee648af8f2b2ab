import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { DomainError } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { bearerOf, type Visitor } from './authenticate.ts';

/**
 * The address of whoever called. Each trusted proxy appends the address that it saw to X-Forwarded-For, so the
 * client is that many entries from its right; anything further left was written by the caller.
 */
export function clientIp(request: IncomingMessage, trustedProxyHops: number): string {
  const direct = request.socket.remoteAddress ?? '';
  if (trustedProxyHops === 0) return direct;
  const forwarded = [request.headers['x-forwarded-for'] ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim());
  return forwarded.at(-trustedProxyHops) || direct;
}

/** What of an address stands for one household: whoever has an IPv6 address has 2^64 of them, its first half. */
export function clientNetworkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':');
}

/** What a request says of where its shopper is. */
export interface Origin {
  /** The address that the request came from. */
  readonly clientIp: string;
  /** The `x-client-ip` header; '' when it was not sent. */
  readonly named: string;
  readonly authorization: string;
}

/**
 * The shopper's address. A storefront's server, known by its secret key, speaks for many shoppers and may name each
 * (`x-client-ip`); where it does not, nobody knows. Anybody else is where they call from, whatever they say.
 */
export async function shopperIp(
  services: Pick<Services, 'keys'>,
  visitor: Visitor,
  { clientIp, named, authorization }: Origin,
): Promise<string | undefined> {
  if (!(await isServer(services, visitor, authorization))) return clientIp;
  return isIP(named) === 0 ? undefined : named;
}

/** A public route asks for no key, but a storefront's server may send it to say that it is one. */
async function isServer(
  { keys }: Pick<Services, 'keys'>,
  { tenant, key }: Visitor,
  authorization: string,
): Promise<boolean> {
  if (key) return key.kind === 'secret';
  if (!/^Bearer +sk_/i.test(authorization)) return false;
  try {
    const opened = await keys.open(bearerOf(authorization));
    return opened.kind === 'secret' && opened.tenantId === tenant.id;
  } catch (error) {
    // A key that opens nothing says nothing.
    if (error instanceof DomainError) return false;
    throw error;
  }
}
