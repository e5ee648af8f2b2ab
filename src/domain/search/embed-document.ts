import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Embedder } from '../ports/embedder.ts';
import { type DocumentKey, incrementVersion } from './request-embedding.ts';
import { toUnitLength } from './vector-store.ts';

/** So many documents go to the embedder in one call. */
const takenAlong = 64;
const callTimeoutMs = seconds(30);
/** Outlives the longest call by far. */
const leaseMs = seconds(60);

interface Claim extends DocumentKey {
  readonly revision: number;
  readonly text: string;
}

/**
 * Have a document embedded, if nobody has yet, and with it others of its store that wait: embedders charge by the
 * text and are asked by the batch. Nothing is locked while they think; who took documents and died gives them back
 * when their lease is over.
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
    await keep(
      ctx,
      claims.map((claim, index) => ({ ...claim, embedding: vectors[index] && toUnitLength(vectors[index]) })),
    );
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const own = claims.filter(({ kind, id }) => kind === key.kind && id === key.id);
    if (error.failure === 'refused' && own.length === claims.length) return refuse(ctx, own);
    await giveBack(
      ctx,
      claims.filter((claim) => error.failure !== 'refused' || !own.includes(claim)),
    );
    // One text may have spoilt it for the others.
    if (error.failure === 'refused') return embedClaims(ctx, embedder, key, own);
    // Text search does without meanwhile, so the wait may be long: each document has its own promise.
    throw new Snooze(seconds(error.retryAfterSeconds ?? 60), error.message);
  }
}

/** Take this document, if it waits, and others that do. Most were taken along by then, and cost one look. */
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
      order by wanted_at limit ${takenAlong} for update skip locked)
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

/** What has been written anew meanwhile keeps waiting: its own promise follows. */
async function keep(
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
      where e.tenant_id = ${ctx.tenant.id} and e.kind = v.kind and e.subject_id = v.id and e.revision = v.revision`);
  });
}

async function giveBack(ctx: Context, claims: readonly Claim[]): Promise<void> {
  const rows = claims.map(({ kind, id, revision }) => ({ kind, id, revision }));
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update search_embeddings e set leased_until = null
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as v(kind text, id text, revision int)
    where e.tenant_id = ${ctx.tenant.id} and e.kind = v.kind and e.subject_id = v.id and e.revision = v.revision`),
  );
}

/** A text that the embedder will not take is found by its words alone, until it is another text. */
async function refuse(ctx: Context, claims: readonly Claim[]): Promise<void> {
  ctx.log.warn({ documents: claims.map(({ id }) => id) }, 'a document was refused by the embedder');
  await keep(
    ctx,
    claims.map((claim) => ({ ...claim, embedding: undefined })),
  );
}
