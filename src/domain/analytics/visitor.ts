import { dayOf } from '#src/lib/calendar.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { networkOf } from '#src/lib/network-of.ts';
import type { Context } from '../context.ts';

/** What a request shows of its sender. Neither part is stored. */
export interface Sender {
  /** Undefined when a storefront's server sends the request and does not name the shopper's IP. */
  readonly clientIp: string | undefined;
  /** Empty when it was not sent. */
  readonly userAgent: string;
}

/**
 * A pseudonym for a visitor without an id: a keyed hash of store, day, network and browser. The network and the browser
 * cannot be derived from it, and visits of different days cannot be linked.
 */
export function visitorOf(ctx: Context, { clientIp, userAgent }: Sender, receivedAt: Date): string | null {
  const network = networkOf(clientIp ?? '');
  if (network === '') return null;
  const text = JSON.stringify(['visitor', ctx.tenant.id, dayOf(receivedAt), network, userAgent]);
  return hmacSha256(ctx.settings.keyPepper, text).toString('base64url').slice(0, 22);
}

/**
 * Declared bots and automated browsers. HTTP libraries are not among them, because storefronts' servers send events
 * too.
 */
const botPattern =
  /bot\b|crawl|spider|slurp|headless|lighthouse|pagespeed|facebookexternalhit|preview|pingdom|uptime|phantomjs|prerender/i;

export function isBot({ userAgent }: Sender): boolean {
  return botPattern.test(userAgent);
}
