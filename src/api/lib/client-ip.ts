import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { OpenedKey } from '#src/domain/tenants/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { bearerOf, type Visitor } from './authenticate.ts';

/**
 * The IP of the caller. Each trusted proxy appends the one that it saw to X-Forwarded-For, so the client is
 * that many entries from the right; the caller controls anything further left. Some proxies append the port, too.
 */
export function clientIp(request: IncomingMessage, trustedProxyHops: number): string {
  const direct = request.socket.remoteAddress ?? '';
  if (trustedProxyHops === 0) return direct;
  const forwarded = [request.headers['x-forwarded-for'] ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim());
  const ip = forwarded.at(-trustedProxyHops)?.replace(withPort, '$1$2') ?? '';
  return isIP(ip) === 0 ? direct : ip;
}

/** An IPv6 address in brackets, with or without a port, or an IPv4 address with a port. */
const withPort = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/;

/** The fields of a request from which the shopper's IP is derived. */
export interface Origin {
  /** The IP that the request came from. */
  readonly clientIp: string;
  /** The `x-client-ip` header; '' when it was not sent. */
  readonly named: string;
  /** The key by which a storefront's server was recognized. */
  readonly server: OpenedKey | undefined;
}

/**
 * The shopper's IP. A storefront's server sends requests for many shoppers and may send theirs in `x-client-ip`;
 * otherwise it is unknown. For all others it is the caller's.
 */
export function shopperIp({ clientIp, named, server }: Origin): string | undefined {
  if (!server) return clientIp;
  return isIP(named) === 0 ? undefined : named;
}

/**
 * The secret key of a storefront's server. A public route requires no key, but a server may send its key to be
 * recognized.
 */
export async function serverOf(
  { keys }: Pick<Services, 'keys'>,
  { tenant, key }: Visitor,
  authorization: string,
): Promise<OpenedKey | undefined> {
  if (key) return key.kind === 'secret' ? key : undefined;
  if (!/^Bearer +sk_/i.test(authorization)) return undefined;
  try {
    const opened = await keys.open(bearerOf(authorization));
    return opened.kind === 'secret' && opened.tenantId === tenant.id ? opened : undefined;
  } catch (error) {
    // An unknown key is ignored.
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}
