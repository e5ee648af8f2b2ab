import { dayOf } from '#src/lib/calendar.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { networkOf } from '#src/lib/network-of.ts';
import type { Context } from '../context.ts';

/** What a request says of whoever sent it. Neither part is kept. */
export interface Sender {
  /** Undefined where a storefront's server sends and names no shopper. */
  readonly clientIp: string | undefined;
  /** '' when it was not sent. */
  readonly userAgent: string;
}

/**
 * A name for a visitor who gave none, good for one store and one day: made of the network that they come from and their
 * browser with a secret, so that neither can be found from it and no two days can be joined by it.
 */
export function visitorOf(ctx: Context, { clientIp, userAgent }: Sender, receivedAt: Date): string | null {
  const network = networkOf(clientIp ?? '');
  if (network === '') return null;
  const text = JSON.stringify(['visitor', ctx.tenant.id, dayOf(receivedAt), network, userAgent]);
  return hmacSha256(ctx.settings.keyPepper, text).toString('base64url').slice(0, 22);
}

/**
 * Robots that say so, and browsers that nobody sits at. A program's library is not one of them: storefronts' servers
 * send events too.
 */
const botPattern =
  /bot\b|crawl|spider|slurp|headless|lighthouse|pagespeed|facebookexternalhit|preview|pingdom|uptime|phantomjs|prerender/i;

export function isBot({ userAgent }: Sender): boolean {
  return botPattern.test(userAgent);
}
