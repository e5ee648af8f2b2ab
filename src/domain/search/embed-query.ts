import { LRUCache } from 'lru-cache';

import { sha256 } from '#src/lib/crypto.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { Embedder } from '../ports/embedder.ts';
import { toUnitLength } from './unit-length.ts';

/** What was asked once is remembered so long: most searches are searches for the same few things. */
const cachedMs = days(1);

/** A search has gone on without by then; the next one for the same finds the answer. */
const callTimeoutMs = seconds(3);

/** New searches of one store that a process has embedded in a minute; the rest are answered by text. */
const newPerMinute = 120;

/** @throws ProviderError when the embedder cannot say, or has been asked enough */
export async function embedQuery(ctx: Context, embedder: Embedder, query: string): Promise<Float32Array> {
  const text = query.toLowerCase().replace(/\s+/g, ' ');
  const key = `search:${embedder.model}:${sha256(text).toString('base64url')}`;
  const cached = await ctx.ports.cache.getOrLoad(key, cachedMs, async () => {
    spend(ctx);
    const [vector = new Float32Array()] = await embedder.embed([text], { timeoutMs: callTimeoutMs });
    return Buffer.from(toUnitLength(vector).buffer).toString('base64');
  });
  const bytes = Buffer.from(cached.text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

const spent = new LRUCache<string, { minute: number; count: number }>({ max: 10_000 });

/** A store's searches cost what its shoppers like; a flood of them must not cost what it likes. */
function spend(ctx: Context): void {
  const minute = Math.floor(ctx.clock.now().getTime() / minutes(1));
  const account = spent.get(ctx.tenant.id);
  const count = account?.minute === minute ? account.count + 1 : 1;
  spent.set(ctx.tenant.id, { minute, count });
  if (count > newPerMinute)
    throw new ProviderError('embeddings', 'busy', 'The store has had enough searches embedded for this minute.');
}
