import { embedDocument, indexDocument } from '#jobs/search.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue, enqueueFor } from '#src/outbox/enqueue.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import type { Embedder } from '../ports/embedder.ts';
import { hasVectorType } from './has-vector-type.ts';

/** Identifies a document within its store. */
export interface DocumentKey {
  readonly kind: 'product' | 'content';
  readonly id: string;
}

/**
 * How many documents of a store are embedded without pgvector, because a process then caches and scans their vectors.
 */
export const documentsMax = 20_000;

/** The length of the text that is embedded: its beginning shows its subject, and embedders charge by length. */
const textCharactersMax = 4000;

/**
 * Enqueue the embedding of each document whose text or model has changed since it was embedded last. Without an embedder
 * the old vectors are deleted, so that no document is found by its old text.
 */
export async function requestEmbeddings(
  ctx: InTransaction,
  kind: DocumentKey['kind'],
  documents: readonly { readonly id: string; readonly text: string }[],
): Promise<void> {
  const { embedder } = ctx.ports;
  const ids = documents.map(({ id }) => id);
  if (!embedder) return deleteEmbeddings(ctx, kind, ids);
  for (const { id, text } of documents) await requestEmbedding(ctx, embedder, { kind, id }, text);
}

async function requestEmbedding(
  ctx: InTransaction,
  embedder: Embedder,
  { kind, id }: DocumentKey,
  document: string,
): Promise<void> {
  const text = document.trim().slice(0, textCharactersMax).toWellFormed();
  const max = (await hasVectorType(ctx)) ? null : documentsMax;
  const [requested] = await ctx.tx.execute<{ revision: number }>(sql`
    with held as (
      select from search_embeddings
      where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id} and content_hash <> ''),
    counted as (
      insert into search_versions as v (tenant_id, version, documents)
      select ${ctx.tenant.id}, 0, 1 where not exists (select from held)
      on conflict (tenant_id) do update set documents = v.documents + 1
        where ${max}::int is null or v.documents < ${max}::int
      returning 1)
    insert into search_embeddings as e (tenant_id, kind, subject_id, content_hash, model, wanted_at, revision, pending,
      version)
    select ${ctx.tenant.id}, ${kind}, ${id}, ${hashOf(embedder.model, text)}, ${embedder.model},
      ${ctx.clock.now()}::timestamptz, 1, ${text}, 0
    where exists (select from held) or exists (select from counted)
    on conflict (tenant_id, kind, subject_id) do update set
      content_hash = excluded.content_hash, model = excluded.model, wanted_at = excluded.wanted_at,
      revision = e.revision + 1, pending = excluded.pending, leased_until = null
    where e.content_hash <> excluded.content_hash
    returning revision`);
  if (requested) enqueue(ctx, embedDocument, { kind, id, version: requested.revision });
}

const hashOf = (model: string, text: string) => sha256(`${model}\n${text}`);

/** Delete the vectors of removed documents. The new version makes processes remove them from their caches. */
export async function deleteEmbeddings(
  ctx: InTransaction,
  kind: DocumentKey['kind'],
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const held = await ctx.tx.execute<{ id: string }>(sql`
    select subject_id as id from search_embeddings
    where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = any(${ids}::text[]) and content_hash <> ''`);
  if (held.length === 0) return;
  const version = await incrementVersion(ctx, { deleted: held.length });
  await ctx.tx.execute(sql`
    update search_embeddings set content_hash = '', revision = revision + 1, pending = null, leased_until = null,
      embedding = null, version = ${version}
    where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = any(${held.map(({ id }) => id)}::text[])`);
}

/**
 * Increment the version of the store's vectors. The row stays locked, so that versions are committed in their order.
 *
 * @param deleted how many embeddings the transaction deletes
 */
export async function incrementVersion(ctx: InTransaction, { deleted = 0 } = {}): Promise<number> {
  const [row] = await ctx.tx.execute<{ version: number }>(sql`
    insert into search_versions as v (tenant_id, version) values (${ctx.tenant.id}, 1)
    on conflict (tenant_id) do update
      set version = v.version + 1, documents = greatest(v.documents - ${deleted}::int, 0)
    returning version`);
  if (!row) throw new TypeError('The version of the embeddings was not returned.');
  return row.version;
}

/** How many documents one run enqueues. */
const batchSize = 2000;

/** After this time the job of a pending document has used up its attempts. */
const exhaustedAfterMs = days(2);

interface FoundDocument extends DocumentKey {
  readonly tenantId: string;
}

/**
 * Index documents again that were saved before an embedder was configured, or embedded by another model; and enqueue
 * pending documents again whose job was exhausted while the embedder was down.
 */
export async function sweepEmbeddings(ctx: PlatformContext, { period }: { period: number }): Promise<void> {
  const { embedder } = ctx.ports;
  if (!embedder) return;
  const max = (await hasVectorType(ctx)) ? null : documentsMax;
  await asPlatform(ctx, 'documents of every store are embedded', async (ctx) => {
    const outdated = await ctx.tx.execute<FoundDocument>(sql`
      select d.tenant_id as "tenantId", d.kind, d.subject_id as id
      from search_documents d
      left join search_embeddings e on e.tenant_id = d.tenant_id and e.kind = d.kind and e.subject_id = d.subject_id
      left join search_versions v on v.tenant_id = d.tenant_id
      where (e.model is distinct from ${embedder.model} or e.content_hash = '')
        and (e.content_hash <> '' or ${max}::int is null or coalesce(v.documents, 0) < ${max}::int)
      limit ${batchSize}`);
    for (const { tenantId, ...key } of outdated) enqueueFor(ctx, tenantId, indexDocument, { ...key, version: -period });
    const stale = await ctx.tx.execute<FoundDocument & { readonly version: number }>(sql`
      update search_embeddings set wanted_at = ${ctx.clock.now()}, revision = revision + 1, leased_until = null
      where (tenant_id, kind, subject_id) in (
        select tenant_id, kind, subject_id from search_embeddings
        where pending is not null and wanted_at < ${fromNow(ctx.clock, -exhaustedAfterMs)}
        limit ${batchSize} for update skip locked)
      returning tenant_id as "tenantId", kind, subject_id as id, revision as version`);
    for (const { tenantId, ...payload } of stale) enqueueFor(ctx, tenantId, embedDocument, payload);
  });
}
