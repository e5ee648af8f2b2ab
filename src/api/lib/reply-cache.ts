import { LRUCache } from 'lru-cache';

import { agingBy, type Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { type RenderedReply, type StoredReply, storeReply } from './render-reply.ts';
import type { Visitor } from './visitor.ts';

/** Replies of hot public reads, each made once for everybody who asks within a second. */
export interface ReplyCache {
  /** The reply of this address for visitors of this kind, made by `make` unless it is there or on its way. */
  get(visitor: Visitor, url: string, make: () => Promise<RenderedReply>): Promise<StoredReply>;
  /** That reply if it is there. */
  peek(visitor: Visitor, url: string): StoredReply | undefined;
}

/** A second is short enough that nothing need ever be taken out because it changed. */
const freshForMs = seconds(1);

const repliesMax = 10_000;
const bytesMax = 16 * 1024 * 1024;

/** Refusals are not kept, but shared by all who wait for the same. */
export function createReplyCache(clock: Clock): ReplyCache {
  const replies = new LRUCache<string, StoredReply, () => Promise<RenderedReply>>({
    max: repliesMax,
    maxSize: bytesMax,
    sizeCalculation: (reply, key) => key.length + reply.bytes.length + 200,
    ttl: freshForMs,
    ...agingBy(clock),
    // Whoever waits for a reply gets it, also when others have meanwhile pushed it out.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: make }) => storeReply(await make()),
  });
  return {
    get: async (visitor, url, make) =>
      (await replies.fetch(nameOf(visitor, url), { context: make })) ?? storeReply(await make()),
    peek: (visitor, url) => replies.get(nameOf(visitor, url)),
  };
}

const nameOf = ({ tenant, key }: Visitor, url: string) => `${tenant.id} ${key?.kind ?? 'anonymous'} ${url}`;
