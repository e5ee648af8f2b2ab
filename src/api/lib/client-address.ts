import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/**
 * The address of whoever called. Each trusted proxy appends the address that it saw to X-Forwarded-For, so the
 * client is that many entries from its right; anything further left was written by the caller.
 */
export function clientAddress(request: IncomingMessage, trustedProxyHops: number): string {
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
