import type { Context as KoaContext } from 'koa';

import { DomainError } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import type { Visitor } from './authenticate.ts';
import type { Route } from './define-route.ts';
import { emailLimitOf, limitOf } from './limits.ts';
import { ceilingOf, emailsOf, type Party, rateOf } from './shares.ts';
import { createWindows, type Share, type Standing } from './windows.ts';

export interface Limiter {
  /**
   * Count a request against the rate of its route, before it is read, and say in its answer how the caller stands.
   * @throws DomainError `rate_limited`
   */
  enforceRate(koa: KoaContext, route: Route, party: Party): Promise<void>;
  /**
   * Count a sound request against the ceiling of its route: per client first, so that no client uses up the store's.
   * @throws DomainError `service_unavailable`
   */
  enforceCeiling(route: Route, party: Party): Promise<void>;
  /**
   * Do work that finds out whether codes of a body are right. Each is counted while it is tried, so that many tries at
   * once are as few as one after the other, and stays counted only if it was wrong.
   * @throws DomainError `rate_limited`, or what the work throws
   */
  limitGuesses<Result>(route: Route, party: Party, body: unknown, work: () => Promise<Result>): Promise<Result>;
  /**
   * Count an email to this address, and return whether it may be sent.
   * @throws DomainError `rate_limited` where the limit is not silent
   */
  mayEmail(route: Route, party: Party, recipient: string): Promise<boolean>;
}

export function createLimiter({ redis, metrics, config }: Services): Limiter {
  const windows = createWindows({ redis, config });
  const takeAll = async (shares: readonly Share[]) =>
    (await Promise.all(shares.map((share) => windows.take(share)))).toSorted(byTightness)[0];

  /** One share after the other, until one is used up: those behind it are not touched. */
  async function takeInTurn(shares: readonly Share[]): Promise<Standing | undefined> {
    for (const share of shares) {
      const standing = await windows.take(share);
      if (standing.isOver) return standing;
    }
    return undefined;
  }

  function tooMany({ tenant }: Visitor, { reset }: Standing): DomainError {
    metrics.count('rate_limited', { tenant: tenant.slug });
    return new DomainError('too_many', 'rate_limited', 'There were too many requests. Wait a moment and try again.', {
      retryAfterSeconds: reset,
    });
  }

  return {
    async enforceRate(koa, { limit }, party) {
      const tightest = limit && !limitOf(limit).perStore && (await takeAll(rateOf(limit, party)));
      if (!tightest) return;
      koa.set({
        'ratelimit-limit': String(tightest.limit),
        'ratelimit-remaining': String(tightest.remaining),
        'ratelimit-reset': String(tightest.reset),
      });
      if (tightest.isOver) throw tooMany(party.visitor, tightest);
    },

    async enforceCeiling(route, party) {
      const over = await takeInTurn(ceilingOf(route, party));
      if (!over) return;
      metrics.count('rate_limited', { tenant: party.visitor.tenant.slug });
      throw new DomainError('unavailable', 'service_unavailable', 'The store is very busy. Try again in a moment.', {
        retryAfterSeconds: over.reset,
      });
    },

    async limitGuesses({ guesses = [] }, party, body, work) {
      const given = body as Readonly<Record<string, unknown>>;
      const tries = guesses
        .filter(({ field }) => given[field])
        .map(({ limit, wrong }) => ({ wrong, shares: rateOf(limit, party) }));
      if (tries.length === 0) return work();
      let found: string | undefined;
      try {
        const tightest = await takeAll(tries.flatMap(({ shares }) => shares));
        if (tightest?.isOver) throw tooMany(party.visitor, tightest);
        return await work();
      } catch (error) {
        if (error instanceof DomainError) found = error.code;
        throw error;
      } finally {
        const right = tries.filter(({ wrong }) => wrong !== found).flatMap(({ shares }) => shares);
        await Promise.all(right.map((share) => windows.giveBack(share)));
      }
    },

    async mayEmail(route, party, recipient) {
      const { keyPepper: pepper } = config.settings;
      const over = await takeInTurn(emailsOf(route, party, { recipient, pepper }));
      if (over && !(route.emails && emailLimitOf(route.emails).isSilent)) throw tooMany(party.visitor, over);
      return !over;
    },
  };
}

/** Of the windows that refuse, the one that lasts longest; else the one that has the least left. */
function byTightness(left: Standing, right: Standing): number {
  if (left.isOver && right.isOver) return right.reset - left.reset;
  return Number(right.isOver) - Number(left.isOver) || left.remaining - right.remaining;
}
