import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/**
 * What documents mean, as vectors, where an embeddings endpoint is configured; and what was searched for in vain. The
 * vectors are plain arrays: they are compared by pgvector where the extension is there, now or later, and by the
 * process itself where it is not.
 */
export class SemanticSearch extends Migration {
  override up(): void {
    this.addSql(`
      create table search_embeddings (
        tenant_id ${id} not null,
        kind text not null check (kind in ('product', 'content')),
        subject_id ${id} not null,
        -- Of the text and of the model that it is for.
        content_hash bytea not null,
        model text not null,
        wanted_at timestamptz not null,
        revision int not null,
        -- The text that waits to be embedded; nothing when it is.
        pending text,
        leased_until timestamptz,
        embedding real[],
        -- The store's version as of when this vector last changed.
        version bigint not null,
        primary key (tenant_id, kind, subject_id)
      );
      -- Vectors do not compress.
      alter table search_embeddings alter column embedding set storage external;
      create index search_embeddings_pending on search_embeddings (tenant_id) where pending is not null;
      create index search_embeddings_version on search_embeddings (tenant_id, version);
      ${tenantTable('search_embeddings')}

      -- A row per store, locked by whoever changes its vectors: so versions become visible in their order.
      create table search_versions (
        tenant_id ${id} primary key,
        version bigint not null
      );
      ${tenantTable('search_versions')}

      create table zero_result_searches (
        tenant_id ${id} not null,
        query text not null,
        count int not null check (count > 0),
        last_at timestamptz not null,
        primary key (tenant_id, query)
      );
      create index zero_result_searches_by_age on zero_result_searches (last_at);
      ${tenantTable('zero_result_searches')}

      do $$ begin
        if exists (select from pg_available_extensions where name = 'vector') then
          create extension if not exists vector;
        end if;
      exception when others then
        raise notice 'pgvector is there, and this role may not switch it on: %', sqlerrm;
      end $$;
    `);
  }
}
