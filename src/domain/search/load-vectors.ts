import { LRUCache } from 'lru-cache';
import type { Database } from '#src/database/connections.ts';
import { read } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { documentsMax } from './request-embedding.ts';
import { type StoredVector, VectorStore } from './vector-store.ts';

/** So much of a process's memory may be vectors; the store that was searched longest ago goes first. */
const bytesMax = 256 * 1024 * 1024;

const pageSize = 500;

/** How long a store's vectors are taken for its newest. */
const freshForMs = seconds(1);

interface Held {
  readonly vectors: VectorStore;
  /** Everything up to this version of the store's is in them. */
  version: number;
  checkedAt: number;
  refreshing: Promise<void> | undefined;
}

const caches = new WeakMap<Database, LRUCache<string, Held>>();

/** The vectors of the context's store as they are now, or were a second ago. The first time takes a while. */
export async function loadVectors(ctx: Context, dimensions: number): Promise<VectorStore> {
  const cache = cacheOf(ctx.database);
  const key = `${ctx.tenant.id}:${dimensions}`;
  let held = cache.get(key);
  if (!held) {
    held = {
      vectors: new VectorStore(dimensions, documentsMax),
      version: 0,
      checkedAt: -Infinity,
      refreshing: undefined,
    };
    cache.set(key, held);
  }
  const now = ctx.clock.now().getTime();
  if (now - held.checkedAt >= freshForMs)
    held.refreshing ??= refresh(ctx, held, now).finally(() => trackAccount(cache, key, held));
  await held.refreshing;
  return held.vectors;
}

/** Take over what changed since the version that is held, page by page, so that nobody waits long for the process. */
async function refresh(ctx: Context, held: Held, now: number): Promise<void> {
  let after = sql`version > ${held.version}`;
  let version = held.version;
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
    for (const vector of page) held.vectors.apply(vector);
    const last = page.at(-1);
    if (last) after = sql`(version, kind, subject_id) > (${last.version}, ${last.kind}, ${last.id})`;
    version = last?.version ?? version;
  } while (page.length === pageSize);
  held.version = version;
  held.checkedAt = now;
}

function trackAccount(cache: LRUCache<string, Held>, key: string, held: Held): void {
  held.refreshing = undefined;
  // Its size is another now.
  if (cache.peek(key) === held) cache.set(key, held);
}

function cacheOf(database: Database): LRUCache<string, Held> {
  const cache =
    caches.get(database) ??
    new LRUCache<string, Held>({
      max: 10_000,
      maxSize: bytesMax,
      sizeCalculation: ({ vectors }) => vectors.bytes,
      noUpdateTTL: true,
    });
  caches.set(database, cache);
  return cache;
}
