import type { Context as KoaContext } from 'koa';
import { LRUCache } from 'lru-cache';

import { agingBy, type Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Route } from './define-route.ts';
import type { Visitor } from './visitor.ts';

/** To which route a request was let in, and as whom. */
export interface Admission {
  readonly route: Route;
  readonly visitor: Visitor;
}

/** The requests for hot public reads that were let in within the last second. */
export interface AuthCache {
  /** The admission of an earlier request that said the same of its address and of its sender, to the letter. */
  find(koa: KoaContext): Admission | undefined;
  keep(koa: KoaContext, admission: Admission): void;
}

/** By so much later than the directory of keys says does a revoked key stop working here. */
const freshForMs = seconds(1);

const cachedKeysMax = 10_000;

export function createAuthCache(clock: Clock): AuthCache {
  const admissions = new LRUCache<string, Admission>({
    max: cachedKeysMax,
    ttl: freshForMs,
    ...agingBy(clock),
  });
  return {
    find: (koa) => admissions.get(nameOf(koa)),
    keep: (koa, admission) => void admissions.set(nameOf(koa), admission),
  };
}

/** All that decides which route a request is for and who its visitor is. No header has a line's end in it. */
function nameOf({ method, url, req: { headers } }: KoaContext): string {
  return `${method} ${url}\n${String(headers['x-tenant-slug'])}\n${headers.authorization}`;
}
