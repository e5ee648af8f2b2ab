import { LRUCache } from 'lru-cache';
import { agingBy, type Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Visitor } from './authenticate.ts';
import { type CachedReply, cachedFrom, type RenderedReply } from './render-reply.ts';

/** Short enough that nothing has to be invalidated. */
const freshForMs = seconds(1);

const entriesMax = 10_000;
const bytesMax = 16 * 1024 * 1024;

/** Replies of hot public reads, each rendered once for all who request it within a second. */
export interface ReplyCache {
  /** The reply for this URL and this kind of visitor, made by `make` unless it is cached or being made. */
  get(visitor: Visitor, url: string, make: () => Promise<RenderedReply>): Promise<CachedReply>;
}

/** Errors are not cached, but shared by all who wait for the same reply. */
export function createReplyCache(clock: Clock): ReplyCache {
  const replies = new LRUCache<string, CachedReply, () => Promise<RenderedReply>>({
    max: entriesMax,
    maxSize: bytesMax,
    sizeCalculation: (reply, key) => key.length + reply.bytes.length + 200,
    ttl: freshForMs,
    ...agingBy(clock),
    // A caller that waits for a reply gets it even if others have evicted it meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: make }) => cachedFrom(await make()),
  });
  return {
    get: async (visitor, url, make) =>
      (await replies.fetch(replyKeyOf(visitor, url), { context: make })) ?? cachedFrom(await make()),
  };
}

const replyKeyOf = ({ tenant, key }: Visitor, url: string) => `${tenant.id} ${key?.kind ?? 'anonymous'} ${url}`;
