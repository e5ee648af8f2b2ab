import type { IncomingMessage } from 'node:http';

/**
 * The address of whoever called. Each trusted proxy appends the address that it saw to X-Forwarded-For, so the
 * client is that many entries from its right; anything further left was written by the caller himself.
 */
export function clientAddress(request: IncomingMessage, trustedProxyHops: number): string {
  const direct = request.socket.remoteAddress ?? '';
  if (trustedProxyHops === 0) return direct;
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',').map((part) => part.trim());
  return forwarded.at(-trustedProxyHops) || direct;
}
