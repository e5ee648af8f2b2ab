import { LRUCache } from 'lru-cache';
import type { Database } from '#src/database/connections.ts';
import { read } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { documentsMax } from './request-embedding.ts';
import { type StoredVector, VectorStore, vectorsWithin } from './vector-store.ts';

/**
 * The memory that a process uses for vectors: those of the largest store with an embedder's usual 1,536 dimensions. With
 * them a web process, which needs up to 200 MB for the rest, stays below 350 MB. The store that was searched longest
 * ago is evicted first; of vectors so long that not all of a store fit, the first documents are cached.
 */
const bytesMax = 128 * 1024 * 1024;

const pageSize = 500;

/** How old a store's cached vectors may be. */
const freshForMs = seconds(1);

interface CachedVectors {
  readonly vectors: VectorStore;
  /** The store's version that the vectors correspond to. */
  version: number;
  checkedAt: number;
  refreshing: Promise<void> | undefined;
}

const caches = new WeakMap<Database, LRUCache<string, CachedVectors>>();

/** The vectors of the context's store, at most a second old. The first call of a process reads all of them. */
export async function loadVectors(ctx: Context, dimensions: number): Promise<VectorStore> {
  const cache = cacheOf(ctx.database);
  const key = `${ctx.tenant.id}:${dimensions}`;
  let cached = cache.get(key);
  if (!cached) {
    cached = {
      vectors: new VectorStore(dimensions, Math.min(documentsMax, vectorsWithin(bytesMax, dimensions))),
      version: 0,
      checkedAt: -Infinity,
      refreshing: undefined,
    };
    cache.set(key, cached);
  }
  const now = ctx.clock.now().getTime();
  if (now - cached.checkedAt >= freshForMs)
    cached.refreshing ??= refresh(ctx, cached, now).finally(() => updateSize(cache, key, cached));
  await cached.refreshing;
  return cached.vectors;
}

/** Read what changed since the cached version, page by page, so that the event loop is never blocked for long. */
async function refresh(ctx: Context, cached: CachedVectors, now: number): Promise<void> {
  let after = sql`version > ${cached.version}`;
  let version = cached.version;
  let page: (StoredVector & { version: number })[];
  do {
    page = await read(
      ctx,
      sql`
      select kind, subject_id as id, version, array_send(embedding) as packed from search_embeddings
      where tenant_id = ${ctx.tenant.id} and ${after}
      order by version, kind, subject_id limit ${pageSize}`,
      { replica: true },
    );
    for (const vector of page) cached.vectors.apply(vector);
    const last = page.at(-1);
    if (last) after = sql`(version, kind, subject_id) > (${last.version}, ${last.kind}, ${last.id})`;
    version = last?.version ?? version;
  } while (page.length === pageSize);
  cached.version = version;
  cached.checkedAt = now;
}

/** Set the entry again, so that the cache calculates its new size. */
function updateSize(cache: LRUCache<string, CachedVectors>, key: string, cached: CachedVectors): void {
  cached.refreshing = undefined;
  if (cache.peek(key) === cached) cache.set(key, cached);
}

function cacheOf(database: Database): LRUCache<string, CachedVectors> {
  const cache =
    caches.get(database) ??
    new LRUCache<string, CachedVectors>({
      max: 10_000,
      maxSize: bytesMax + 1,
      // An entry has a size, even while it is empty.
      sizeCalculation: ({ vectors }) => vectors.bytes + 1,
      noUpdateTTL: true,
    });
  caches.set(database, cache);
  return cache;
}
