import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** What can be found, one document each; the vectors of the documents; and the searches without results. */
export class Search extends Migration {
  override up(): void {
    this.addSql(`
      create extension if not exists btree_gin;
      create extension if not exists pg_trgm;

      -- No row-level security: the search operators are not leakproof, so PostgreSQL would not use the indexes under
      -- it. Only src/domain/search names this table, always with a tenant.
      create table search_documents (
        tenant_id ${id} not null,
        kind text not null check (kind in ('product', 'content')),
        subject_id ${id} not null,
        slug text not null,
        type text,
        title text not null,
        normalized_title text not null,
        body text not null,
        -- The words of category, tags and variants.
        keywords text not null,
        -- Slug and SKUs, in lower case: a query that equals one of them finds the document.
        names text[] not null,
        vector tsvector not null,
        visible_from timestamptz,
        visible_until timestamptz,
        primary key (tenant_id, kind, subject_id)
      );
      -- Jobs write the documents and can wait. A search cannot, and fastupdate would make it scan a list of pending
      -- entries.
      create index search_documents_vector on search_documents using gin (tenant_id, vector) with (fastupdate = off);
      create index search_documents_title on search_documents using gin (tenant_id, normalized_title gin_trgm_ops)
        with (fastupdate = off);
      -- The words of titles alone: a frequent word of bodies is looked for here first.
      create index search_documents_title_words on search_documents using gin (tenant_id, ts_filter(vector, '{a}'))
        with (fastupdate = off);
      -- For the list of products: words that a name or a description contains.
      create index search_documents_text on search_documents
        using gin (tenant_id, (normalized_title || ' ' || lower(body collate "und-x-icu")) gin_trgm_ops)
        with (fastupdate = off)
        where kind = 'product';
      create index search_documents_names on search_documents using gin (tenant_id, names) with (fastupdate = off);

      -- The words of titles, categories, tags and variants, for correcting misspelled ones.
      create table search_words (
        tenant_id ${id} not null,
        -- Without accents.
        plain text collate "C" not null,
        written text collate "C" not null,
        -- Up to a hundred, so that indexing a document does not wait for others with the same frequent words.
        documents int not null check (documents > 0),
        length int not null generated always as (length(plain)) stored,
        reversed text collate "C" not null generated always as (reverse(plain)) stored,
        primary key (tenant_id, plain, written)
      );
      create index search_words_by_start on search_words (tenant_id, length, plain);
      create index search_words_by_end on search_words (tenant_id, length, reversed);
      ${tenantTable('search_words')}

      -- What documents mean, as vectors, where an embeddings endpoint is configured.
      -- Plain arrays: pgvector compares them where the extension is installed, now or later; otherwise the process
      -- does.
      create table search_embeddings (
        tenant_id ${id} not null,
        kind text not null check (kind in ('product', 'content')),
        subject_id ${id} not null,
        -- Of the text and the model.
        content_hash bytea not null,
        model text not null,
        wanted_at timestamptz not null,
        revision int not null,
        -- The text that waits to be embedded; null once it is.
        pending text,
        leased_until timestamptz,
        embedding real[],
        -- The store's version at the last change of this vector.
        version bigint not null,
        primary key (tenant_id, kind, subject_id)
      );
      -- Vectors do not compress.
      alter table search_embeddings alter column embedding set storage external;
      create index search_embeddings_pending on search_embeddings (tenant_id) where pending is not null;
      create index search_embeddings_version on search_embeddings (tenant_id, version);
      ${tenantTable('search_embeddings')}

      -- A row per store, locked by each transaction that changes its vectors: versions become visible in their order.
      create table search_versions (
        tenant_id ${id} primary key,
        version bigint not null,
        -- How many documents of the store are embedded, so that the limit needs no count.
        documents int not null default 0 check (documents >= 0)
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
      create index zero_result_searches_by_count on zero_result_searches (tenant_id, count desc, last_at desc);
      ${tenantTable('zero_result_searches')}

      do $$ begin
        if exists (select from pg_available_extensions where name = 'vector') then
          create extension if not exists vector;
        end if;
      exception when others then
        raise notice 'pgvector is available, but this role may not enable it: %', sqlerrm;
      end $$;
    `);
  }
}
