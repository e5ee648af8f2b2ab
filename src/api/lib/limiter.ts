import type { Context as KoaContext } from 'koa';

import { DomainError, rateLimited, storeBusy } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import type { Visitor } from './authenticate.ts';
import type { EmailWork, Route } from './define-route.ts';
import { emailLimitOf, limitOf } from './limits.ts';
import { ceilingOf, emailsOf, type Party, rateOf } from './shares.ts';
import { createWindows, type Share, type WindowState } from './windows.ts';

export interface Limiter {
  /**
   * Count a request against the limit of its route, before its body is read, and set the `RateLimit-*` headers.
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
   * Do work that may cause an email to this recipient; it gets whether the email may be sent. The email is counted
   * while the work runs, and stays counted only if the work caused it.
   * @throws DomainError `rate_limited` unless the limit is silent, or an error of the work
   */
  limitEmail<Value>(route: Route, party: Party, recipient: string, work: EmailWork<Value>): Promise<Value>;
}

export function createLimiter({ metrics, ...services }: Services): Limiter {
  const windows = createWindows(services);
  const takeAll = async (shares: readonly Share[]) =>
    (await Promise.all(shares.map((share) => windows.take(share)))).toSorted(byTightness)[0];

  const release = (shares: readonly Share[]) => Promise.all(shares.map((share) => windows.release(share)));

  /** One share after the other, until one is used up: those behind it are not touched. */
  async function takeOneByOne(shares: readonly Share[]): Promise<{ taken: Share[]; over?: WindowState }> {
    const taken: Share[] = [];
    for (const share of shares) {
      taken.push(share);
      const state = await windows.take(share);
      if (state.isOver) return { taken, over: state };
    }
    return { taken };
  }

  function tooMany({ tenant }: Visitor, { reset, limit }: WindowState): DomainError {
    metrics.count('rate_limited', { tenant: tenant.slug });
    return rateLimited('Too many requests.', { retryAfterSeconds: reset, limit });
  }

  return {
    async enforceRate(koa, route, party) {
      const { limit } = route;
      const tightest = limit && !limitOf(limit).perStore && (await takeAll(rateOf(route, limit, party)));
      if (!tightest) return;
      koa.set({
        'ratelimit-limit': String(tightest.limit),
        'ratelimit-remaining': String(tightest.remaining),
        'ratelimit-reset': String(tightest.reset),
      });
      if (tightest.isOver) throw tooMany(party.visitor, tightest);
    },

    async enforceCeiling(route, party) {
      const { over } = await takeOneByOne(ceilingOf(route, party));
      if (!over) return;
      metrics.count('rate_limited', { tenant: party.visitor.tenant.slug });
      throw storeBusy(over.reset);
    },

    async limitGuesses(route, party, body, work) {
      const { guesses = [] } = route;
      const given = body as Readonly<Record<string, unknown>>;
      const tries = guesses
        .filter(({ field }) => given[field])
        .map(({ limit, wrong }) => ({ wrong, shares: rateOf(route, limit, party) }));
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
        await release(right);
      }
    },

    async limitEmail(route, party, recipient, work) {
      const { keyPepper: pepper } = services.config.settings;
      const { taken, over } = await takeOneByOne(emailsOf(route, party, { recipient, pepper }));
      let isCaused = false;
      try {
        if (over && !(route.emails && emailLimitOf(route.emails).isSilent)) throw tooMany(party.visitor, over);
        const { value, causesEmail } = await work(!over);
        isCaused = causesEmail && !over;
        return value;
      } finally {
        if (!isCaused) await release(taken);
      }
    },
  };
}

/** Of the exhausted windows, the one that lasts longest; otherwise the one with the fewest requests left. */
function byTightness(left: WindowState, right: WindowState): number {
  if (left.isOver && right.isOver) return right.reset - left.reset;
  return Number(right.isOver) - Number(left.isOver) || left.remaining - right.remaining;
}
