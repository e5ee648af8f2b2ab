import { embedDocument, indexDocument } from '#jobs/search.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { hasVectorType } from './has-vector-type.ts';

/** Names a document within its store. */
export interface DocumentKey {
  readonly kind: 'product' | 'content';
  readonly id: string;
}

/** So many documents of a store are searched by meaning where no pgvector does it: what a process may hold and scan. */
export const documentsMax = 20_000;

/** A text's beginning says what it is about, and its length is what embedding it costs. */
const textCharactersMax = 4000;

/**
 * Have a document embedded, where its text is not the one that was embedded last, by the model that is asked now.
 * Saving the same again costs nothing. While nobody embeds, what it was before it changed must not be found.
 */
export async function requestEmbedding(ctx: InTransaction, { kind, id }: DocumentKey, document: string): Promise<void> {
  const { embedder } = ctx.ports;
  if (!embedder) return deleteEmbedding(ctx, { kind, id });
  const text = document.trim().slice(0, textCharactersMax).toWellFormed();
  const max = (await hasVectorType(ctx)) ? null : documentsMax;
  const [wanted] = await ctx.tx.execute<{ revision: number }>(sql`
    with held as (
      select from search_embeddings
      where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id} and content_hash <> ''),
    counted as (
      insert into search_versions as v (tenant_id, version, documents)
      select ${ctx.tenant.id}, 0, 1 where not exists (select from held)
      on conflict (tenant_id) do update set documents = v.documents + 1 where ${max}::int is null or v.documents < ${max}::int
      returning 1)
    insert into search_embeddings as e (tenant_id, kind, subject_id, content_hash, model, wanted_at, revision, pending, version)
    select ${ctx.tenant.id}, ${kind}, ${id}, ${hashOf(embedder.model, text)}, ${embedder.model}, ${ctx.clock.now()}::timestamptz, 1,
      ${text}, 0
    where exists (select from held) or exists (select from counted)
    on conflict (tenant_id, kind, subject_id) do update set
      content_hash = excluded.content_hash, model = excluded.model, wanted_at = excluded.wanted_at, revision = e.revision + 1, pending = excluded.pending, leased_until = null
    where e.content_hash <> excluded.content_hash
    returning revision`);
  if (wanted) enqueue(ctx, embedDocument, { kind, id, version: wanted.revision });
}

const hashOf = (model: string, text: string) => sha256(`${model}\n${text}`);

/** A document is gone: so is its vector, and processes that hold it are told by the version. */
export async function deleteEmbedding(ctx: InTransaction, { kind, id }: DocumentKey): Promise<void> {
  const [held] = await ctx.tx.execute(sql`
    select 1 from search_embeddings
    where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id} and content_hash <> ''`);
  if (!held) return;
  const version = await incrementVersion(ctx, { forgotten: 1 });
  await ctx.tx.execute(sql`
    update search_embeddings set content_hash = '', revision = revision + 1, pending = null, leased_until = null,
      embedding = null, version = ${version}
    where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id}`);
}

/**
 * The next version of the store's vectors. Its row stays locked, so that versions are committed in their order.
 *
 * @param forgotten how many documents are embedded no more
 */
export async function incrementVersion(ctx: InTransaction, { forgotten = 0 } = {}): Promise<number> {
  const [row] = await ctx.tx.execute<{ version: number }>(sql`
    insert into search_versions as v (tenant_id, version) values (${ctx.tenant.id}, 1)
    on conflict (tenant_id) do update set version = v.version + 1, documents = greatest(v.documents - ${forgotten}::int, 0)
    returning version`);
  if (!row) throw new TypeError('The store has no version.');
  return row.version;
}

/** So many documents are promised in one round. */
const perRound = 2000;

/** After so long a promise to embed has been given up. */
const givenUpMs = days(2);

interface FoundDocument extends DocumentKey {
  readonly tenantId: string;
  readonly revision: number;
}

/**
 * Find documents that were saved before an embedder was configured, or for another model, and have them indexed again;
 * and those whose embedding was given up while it was away.
 */
export async function sweepEmbeddings(ctx: PlatformContext, { period }: { period: number }): Promise<void> {
  const { embedder } = ctx.ports;
  if (!embedder) return;
  const max = (await hasVectorType(ctx)) ? null : documentsMax;
  await asPlatform(ctx, 'documents of every store are embedded', async (ctx) => {
    const strangers = await ctx.tx.execute<FoundDocument>(sql`
      select d.tenant_id as "tenantId", d.kind, d.subject_id as id, 0 as revision
      from search_documents d
      left join search_embeddings e on e.tenant_id = d.tenant_id and e.kind = d.kind and e.subject_id = d.subject_id
      left join search_versions v on v.tenant_id = d.tenant_id
      where (e.model is distinct from ${embedder.model} or e.content_hash = '')
        and (e.content_hash <> '' or ${max}::int is null or coalesce(v.documents, 0) < ${max}::int)
      limit ${perRound}`);
    for (const { tenantId, kind, id } of strangers) {
      enqueue({ ...ctx, tenant: { id: tenantId } }, indexDocument, { kind, id, version: -period });
    }
    const forgotten = await ctx.tx.execute<FoundDocument>(sql`
      update search_embeddings set wanted_at = ${ctx.clock.now()}, revision = revision + 1, leased_until = null
      where (tenant_id, kind, subject_id) in (
        select tenant_id, kind, subject_id from search_embeddings
        where pending is not null and wanted_at < ${fromNow(ctx.clock, -givenUpMs)} limit ${perRound} for update skip locked)
      returning tenant_id as "tenantId", kind, subject_id as id, revision`);
    for (const { tenantId, kind, id, revision } of forgotten) {
      enqueue({ ...ctx, tenant: { id: tenantId } }, embedDocument, { kind, id, version: revision });
    }
  });
}
