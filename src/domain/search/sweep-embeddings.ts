import { embedDocument, indexDocument } from '#jobs/search.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { PlatformContext } from '../context.ts';
import { hasVectorType } from './has-vector-type.ts';
import { type DocumentKey, documentsMax } from './request-embedding.ts';

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
export async function sweepEmbeddings(ctx: PlatformContext, { slot }: { slot: number }): Promise<void> {
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
      enqueue({ ...ctx, tenant: { id: tenantId } }, indexDocument, { kind, id, version: -slot });
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
