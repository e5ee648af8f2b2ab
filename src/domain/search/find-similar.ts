import { LRUCache } from 'lru-cache';
import { read } from '#src/database/transact.ts';
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

/** How long a search waits for what is meant before it goes by what is written. */
const budgetMs = 150;

/** So many documents are ranked by what they mean. */
const neighboursMax = 100;

/** What is less alike than this, or than this part of the best, only happens to be in the same shop. */
const similarityMin = 0.25;
const similarityToBestMin = 0.6;

/**
 * The documents that mean what is searched for, the most alike first. `undefined` where that cannot be said, or not in
 * time: no search fails, or waits long, for the embedder.
 */
export async function findSimilar(
  ctx: Context,
  query: string,
  kinds: readonly string[],
): Promise<Neighbour[] | undefined> {
  const alike = findNeighbours(ctx, query, kinds).catch((error: unknown) => {
    if (error instanceof ProviderError) return undefined;
    throw error;
  });
  return within(budgetMs, alike);
}

/** The same, however long it takes. @throws ProviderError when the embedder cannot say */
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

async function scan(ctx: Context, vector: Float32Array, kinds: readonly string[]): Promise<Neighbour[]> {
  const vectors = await loadVectors(ctx, vector.length);
  return vectors.nearest(vector, kinds, neighboursMax);
}

/** The same comparison by pgvector, also exact: a store's documents are found by its id, and no index blurs the rest. */
async function queryDatabase(ctx: Context, vector: Float32Array, kinds: readonly string[]): Promise<Neighbour[]> {
  const asked = sql`${JSON.stringify(Array.from(vector))}::vector`;
  return read<Neighbour>(
    ctx,
    sql`
    select e.kind, e.subject_id as id, (1 - (e.embedding::vector <=> ${asked}))::float8 as similarity
    from search_embeddings e
    where e.tenant_id = ${ctx.tenant.id} and e.kind = any(${kinds}::text[]) and array_length(e.embedding, 1) = ${vector.length}
    order by e.embedding::vector <=> ${asked} limit ${neighboursMax}`,
    { replica: true },
  );
}

/** What was asked once is remembered so long: most searches are searches for the same few things. */
const cachedMs = days(1);

/** A search has gone on without by then; the next one for the same finds the answer. */
const callTimeoutMs = seconds(3);

/** New searches of one store that a process has embedded in a minute; the rest are answered by text. */
const newPerMinute = 120;

/** @throws ProviderError when the embedder cannot say, or has been asked enough */
async function embedQuery(ctx: Context, embedder: Embedder, query: string): Promise<Float32Array> {
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
