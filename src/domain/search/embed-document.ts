import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import { opaque, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Embedder } from '../ports/embedder.ts';
import { type DocumentKey, incrementVersion } from './request-embedding.ts';
import { toUnitLength } from './vector-store.ts';

/** The largest number of documents in one call of the embedder. */
const batchSize = 64;
const callTimeoutMs = seconds(30);
/** Much longer than the longest call. */
const leaseMs = seconds(60);

interface Claim extends DocumentKey {
  readonly revision: number;
  readonly text: string;
}

/**
 * Embed a document if it is still pending, in one call with other pending documents of its store. The documents are
 * leased and not locked during the call, so those of a crashed worker become available when the lease expires.
 */
export async function embedDocument(ctx: Context, key: DocumentKey): Promise<void> {
  const { embedder } = ctx.ports;
  if (!embedder) return;
  const claims = await claim(ctx, key);
  if (claims.length > 0) await embedClaims(ctx, embedder, key, claims);
  else if (await isPending(ctx, key)) throw new Snooze(seconds(5), 'The document is being embedded with others.');
}

async function embedClaims(
  ctx: Context,
  embedder: Embedder,
  key: DocumentKey,
  claims: readonly Claim[],
): Promise<void> {
  try {
    const vectors = await embedder.embed(
      claims.map(({ text }) => text),
      { timeoutMs: callTimeoutMs, signal: ctx.signal },
    );
    await storeEmbeddings(
      ctx,
      claims.map((claim, index) => ({ ...claim, embedding: vectors[index] && toUnitLength(vectors[index]) })),
    );
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const own = claims.filter(({ kind, id }) => kind === key.kind && id === key.id);
    if (error.failure === 'refused' && own.length === claims.length) return skip(ctx, own);
    await releaseClaims(
      ctx,
      claims.filter((claim) => error.failure !== 'refused' || !own.includes(claim)),
    );
    // Another text of the batch may be the invalid one: try this document alone.
    if (error.failure === 'refused') return embedClaims(ctx, embedder, key, own);
    // The wait may be long, because text search works without embeddings, and each document has a job of its own.
    throw new Snooze(seconds(error.retryAfterSeconds ?? 60), error.message);
  }
}

/**
 * Lease this document, if it is pending, and others with it. Most were embedded with another one: then this finds none.
 */
async function claim(ctx: Context, { kind, id }: DocumentKey): Promise<Claim[]> {
  const now = ctx.clock.now();
  const isDue = sql`pending is not null and (leased_until is null or leased_until <= ${now})`;
  return transact(ctx, (ctx) =>
    ctx.tx.execute<Claim>(sql`
    with own as materialized (
      select ctid from search_embeddings
      where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id} and ${isDue} for update skip locked),
    others as materialized (
      select ctid from search_embeddings
      where tenant_id = ${ctx.tenant.id} and ${isDue} and (select count(*) from own) > 0
      order by wanted_at limit ${batchSize} for update skip locked)
    update search_embeddings set leased_until = ${fromNow(ctx.clock, leaseMs)}
    where ctid = any(array(select ctid from own union select ctid from others))
    returning kind, subject_id as id, revision, pending as text`),
  );
}

async function isPending(ctx: Context, { kind, id }: DocumentKey): Promise<boolean> {
  const row = await readOne(
    ctx,
    sql`
    select 1 from search_embeddings
    where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id} and pending is not null`,
  );
  return row !== undefined;
}

/** Store the vectors. A document that has changed since it was claimed stays pending: its change enqueued a job. */
async function storeEmbeddings(
  ctx: Context,
  embedded: readonly (Claim & { embedding: Float32Array | undefined })[],
): Promise<void> {
  const rows = embedded.map(({ kind, id, revision, embedding }) => ({
    kind,
    id,
    revision,
    embedding: embedding && Array.from(embedding),
  }));
  await completeJob(ctx, async (ctx) => {
    const version = await incrementVersion(ctx);
    await ctx.tx.execute(sql`
      update search_embeddings e set embedding = v.embedding, pending = null, leased_until = null, version = ${version}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as v(kind text, id text, revision int, embedding real[])
      where ${isClaimed(ctx, rows)}`);
  });
}

/** Whether the embedding `e` is the one that was claimed as `v`, which is one of these. */
const isClaimed = ({ tenant }: Context, claims: readonly DocumentKey[]): Sql => sql`
  e.tenant_id = ${opaque(tenant.id)} and e.subject_id = any(${claims.map(({ id }) => id)}::text[])
  and e.kind = v.kind and e.subject_id = v.id and e.revision = v.revision`;

async function releaseClaims(ctx: Context, claims: readonly Claim[]): Promise<void> {
  const rows = claims.map(({ kind, id, revision }) => ({ kind, id, revision }));
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update search_embeddings e set leased_until = null
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as v(kind text, id text, revision int)
    where ${isClaimed(ctx, rows)}`),
  );
}

/** A text that the embedder rejects is only found by its words, until it changes. */
async function skip(ctx: Context, claims: readonly Claim[]): Promise<void> {
  ctx.log.warn({ documents: claims.map(({ id }) => id) }, 'the embedder rejected a document');
  await storeEmbeddings(
    ctx,
    claims.map((claim) => ({ ...claim, embedding: undefined })),
  );
}
