import { read } from '#src/database/transact.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { within } from '#src/lib/within.ts';
import type { Context } from '../context.ts';
import { embedQuery } from './embed-query.ts';
import { hasVectorType } from './has-vector-type.ts';
import { loadVectors } from './load-vectors.ts';
import type { Neighbour } from './vector-store.ts';

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
