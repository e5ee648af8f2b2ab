import { LRUCache } from 'lru-cache';
import { read } from '#src/database/transact.ts';
import { Bulkhead } from '#src/lib/bulkhead.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { within } from '#src/lib/within.ts';
import type { Context } from '../context.ts';
import type { Embedder } from '../ports/embedder.ts';
import { hasVectorType } from './has-vector-type.ts';
import { loadVectors } from './load-vectors.ts';
import { type Neighbour, toUnitLength } from './vector-store.ts';

/** How long a search waits for similar documents before it continues with text search alone. */
const budgetMs = 150;

/** How many documents are ranked by similarity. */
const neighboursMax = 100;

/** Documents below this similarity, or below this share of the best one, are considered unrelated. */
const similarityMin = 0.25;
const similarityToBestMin = 0.6;

/**
 * The documents with a meaning similar to the query, most similar first.
 * @returns `undefined` when the embedder fails or is too slow: no search fails or waits long because of it
 */
export async function findSimilar(
  ctx: Context,
  query: string,
  kinds: readonly string[],
): Promise<Neighbour[] | undefined> {
  const similar = findNeighbours(ctx, query, kinds).catch((error: unknown) => {
    if (error instanceof ProviderError) return undefined;
    throw error;
  });
  return within(budgetMs, similar);
}

/**
 * The same as `findSimilar`, without a time limit.
 * @throws ProviderError when the embedder fails
 */
export async function findNeighbours(
  ctx: Context,
  query: string,
  kinds: readonly string[],
): Promise<Neighbour[] | undefined> {
  const { embedder } = ctx.ports;
  if (!embedder) return undefined;
  const vector = await embedQuery(ctx, embedder, query);
  const neighbours = (await hasVectorType(ctx))
    ? await queryDatabase(ctx, vector, kinds)
    : await scan(ctx, vector, kinds);
  const [best] = neighbours;
  if (!best) return undefined;
  const similarityFloor = Math.max(similarityMin, best.similarity * similarityToBestMin);
  return neighbours.filter(({ similarity }) => similarity >= similarityFloor);
}

/** One comparison of a store at a time; what no search waits for any more is not begun. */
const comparisons = new Bulkhead({
  max: 1,
  waitMs: budgetMs,
  errorWhenFull: () => new ProviderError('embeddings', 'busy', 'Too many searches of the store compare vectors.'),
});

async function scan(ctx: Context, vector: Float32Array, kinds: readonly string[]): Promise<Neighbour[]> {
  const vectors = await loadVectors(ctx, vector.length);
  return comparisons.run(ctx.tenant.id, () => vectors.nearest(vector, kinds, neighboursMax));
}

/** The same exact comparison by pgvector. It reads the store's own documents and uses no approximate index. */
async function queryDatabase(ctx: Context, vector: Float32Array, kinds: readonly string[]): Promise<Neighbour[]> {
  const target = sql`${JSON.stringify(Array.from(vector))}::vector`;
  return read<Neighbour>(
    ctx,
    sql`
    select e.kind, e.subject_id as id, (1 - (e.embedding::vector <=> ${target}))::float8 as similarity
    from search_embeddings e
    where e.tenant_id = ${ctx.tenant.id} and e.kind = any(${kinds}::text[])
      and array_length(e.embedding, 1) = ${vector.length}
    order by e.embedding::vector <=> ${target} limit ${neighboursMax}`,
    { replica: true, expensive: true },
  );
}

/** How long the vector of a query is cached: most searches repeat the same few queries. */
const cachedMs = days(1);

/**
 * How many new queries of one store a process caches so long in a day, and how long the others: what a flood of
 * searches leaves would otherwise fill Redis, which evicts nothing and has to have room for jobs.
 */
const cachedLongMax = 500;
const cachedBrieflyMs = minutes(5);

/** Longer than a search waits: a late vector is cached for the next search with the same query. */
const callTimeoutMs = seconds(3);

/** How many new queries of one store a process embeds in a minute. The others are searched by text alone. */
const newPerMinute = 120;

/** @throws ProviderError when the embedder fails, or the store has used up its quota */
async function embedQuery(ctx: Context, embedder: Embedder, query: string): Promise<Float32Array> {
  const text = query.toLowerCase().replace(/\s+/g, ' ');
  const key = `search:${embedder.model}:${sha256(text).toString('base64url')}`;
  const ttlMs = embeddedInDay.count(ctx) < cachedLongMax ? cachedMs : cachedBrieflyMs;
  const cached = await ctx.ports.cache.getOrLoad(key, ttlMs, async () => {
    countQuery(ctx);
    const [vector = new Float32Array()] = await embedder.embed([text], { timeoutMs: callTimeoutMs });
    return Buffer.from(toUnitLength(vector).buffer).toString('base64');
  });
  const bytes = Buffer.from(cached.text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

const embeddedInMinute = countPer(minutes(1));
const embeddedInDay = countPer(days(1));

/** Limit what a flood of searches in one store can cost. */
function countQuery(ctx: Context): void {
  embeddedInMinute.add(ctx);
  if (embeddedInMinute.count(ctx) > newPerMinute)
    throw new ProviderError('embeddings', 'busy', 'The store has reached its limit of embedded searches per minute.');
  embeddedInDay.add(ctx);
}

/** Counts the queries of each store in windows of this length, within this process. */
function countPer(windowMs: number) {
  const counters = new LRUCache<string, { window: number; count: number }>({ max: 10_000 });
  const windowOf = ({ clock }: Context) => Math.floor(clock.now().getTime() / windowMs);
  const count = (ctx: Context): number => {
    const counter = counters.get(ctx.tenant.id);
    return counter?.window === windowOf(ctx) ? counter.count : 0;
  };
  const add = (ctx: Context): void => {
    counters.set(ctx.tenant.id, { window: windowOf(ctx), count: count(ctx) + 1 });
  };
  return { count, add };
}
