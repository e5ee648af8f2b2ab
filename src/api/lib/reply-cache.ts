import type { Context as KoaContext } from 'koa';
import { LRUCache } from 'lru-cache';
import { agingBy, type Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Visitor } from './authenticate.ts';
import type { Route } from './define-route.ts';
import { type RenderedReply, type StoredReply, storeReply } from './render-reply.ts';

/*
 * Hot public reads: the same request within a second gets the same reply, without looking up its route, its key or its
 * tenant again. One second is short enough that nothing has to be invalidated.
 */
const freshForMs = seconds(1);

const entriesMax = 10_000;
const bytesMax = 16 * 1024 * 1024;

/** Replies of hot public reads, each rendered once for all who request it within a second. */
export interface ReplyCache {
  /** The reply for this URL and this kind of visitor, made by `make` unless it is cached or being made. */
  get(visitor: Visitor, url: string, make: () => Promise<RenderedReply>): Promise<StoredReply>;
  /** The cached reply, if there is one. */
  peek(visitor: Visitor, url: string): StoredReply | undefined;
}

/** Errors are not cached, but shared by all who wait for the same reply. */
export function createReplyCache(clock: Clock): ReplyCache {
  const replies = new LRUCache<string, StoredReply, () => Promise<RenderedReply>>({
    max: entriesMax,
    maxSize: bytesMax,
    sizeCalculation: (reply, key) => key.length + reply.bytes.length + 200,
    ttl: freshForMs,
    ...agingBy(clock),
    // A caller that waits for a reply gets it even if others have evicted it meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: make }) => storeReply(await make()),
  });
  return {
    get: async (visitor, url, make) =>
      (await replies.fetch(replyKeyOf(visitor, url), { context: make })) ?? storeReply(await make()),
    peek: (visitor, url) => replies.get(replyKeyOf(visitor, url)),
  };
}

const replyKeyOf = ({ tenant, key }: Visitor, url: string) => `${tenant.id} ${key?.kind ?? 'anonymous'} ${url}`;

/** The route that a request was matched to, and its authenticated visitor. */
export interface AuthenticatedRequest {
  readonly route: Route;
  readonly visitor: Visitor;
}

/** The requests for hot public reads that were authenticated within the last second. */
export interface AuthCache {
  /** The result for an earlier request with exactly the same URL and credentials. */
  find(koa: KoaContext): AuthenticatedRequest | undefined;
  store(koa: KoaContext, request: AuthenticatedRequest): void;
}

/** A revoked key works here for up to a second after the key directory has removed it. */
export function createAuthCache(clock: Clock): AuthCache {
  const requests = new LRUCache<string, AuthenticatedRequest>({ max: entriesMax, ttl: freshForMs, ...agingBy(clock) });
  return {
    find: (koa) => requests.get(requestKeyOf(koa)),
    store: (koa, request) => void requests.set(requestKeyOf(koa), request),
  };
}

/** Everything that decides the route and the visitor. Header values contain no line breaks. */
function requestKeyOf({ method, url, req: { headers } }: KoaContext): string {
  return `${method} ${url}\n${String(headers['x-tenant-slug'])}\n${headers.authorization}`;
}
