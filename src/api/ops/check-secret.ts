import type { Context as KoaContext } from 'koa';

import { clientIp } from '#src/api/lib/client-ip.ts';
import { createWindows } from '#src/api/lib/windows.ts';
import { equalInConstantTime } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { rateLimited } from '#src/lib/errors.ts';
import { clientNetworkOf } from '#src/lib/network-of.ts';
import type { Services } from '#src/services.ts';

/** How many wrong secrets one client network may send in a window, and all of them together. */
const clientMax = 10;
const overallMax = 100;
/** An operator who mistypes the password gets in, too, while others guess. */
const clientMaxUnderAttack = 3;
const seconds = minutes(15) / 1000;

/**
 * Whether the request's Authorization header is the expected one. The scheme is compared in lower case. A request
 * without the header is not counted: browsers first send one without it.
 * @throws DomainError `rate_limited` for a client network that sent too many wrong ones, even if this one is right
 */
export type CheckSecret = (koa: KoaContext, expected: string) => Promise<boolean>;

/**
 * Compare operators' secrets in constant time and count the wrong ones. Once all networks together sent too many, each
 * has only three: many addresses help a guesser little, and an operator elsewhere gets in.
 */
export function createSecretCheck(services: Services): CheckSecret {
  const windows = createWindows(services);
  const overall = { window: 'ops:overall', seconds, subject: 'all', points: overallMax };

  return async (koa, expected) => {
    const given = koa.get('authorization').replace(/^\w+ +/, (scheme) => `${scheme.trim().toLowerCase()} `);
    if (given === '') return false;
    const isRight = equalInConstantTime(given, expected);
    const { remaining: remainingOverall } = await windows.peek(overall);
    const subject = clientNetworkOf(clientIp(koa.req, services.config.trustedProxyHops));
    const own = {
      window: 'ops:client',
      seconds,
      subject,
      points: remainingOverall > 0 ? clientMax : clientMaxUnderAttack,
    };
    const { isOver, remaining, reset, limit } = await (isRight ? windows.peek(own) : windows.take(own));
    if (isRight ? remaining === 0 : isOver) {
      throw rateLimited('Too many wrong passwords.', { retryAfterSeconds: reset, limit });
    }
    if (!isRight) await windows.take(overall);
    return isRight;
  };
}
