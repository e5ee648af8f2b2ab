import { Migration } from '@mikro-orm/migrations';

import { id } from './lib/tenant-table.ts';

/**
 * What can be found, one document each. The table has no row-level security: the operators of search are not
 * leakproof, so PostgreSQL would not use its indexes under it. Only src/domain/search names it, always with a tenant.
 */
export class Search extends Migration {
  override up(): void {
    this.addSql(`
      create extension if not exists btree_gin;

      create table search_documents (
        tenant_id ${id} not null,
        kind text not null check (kind in ('product', 'content')),
        subject_id ${id} not null,
        slug text not null,
        type text,
        title text not null,
        normalized_title text not null,
        body text not null,
        -- Names that lead straight to it: slug and SKUs, in lower case.
        names text[] not null,
        vector tsvector not null,
        visible_from timestamptz,
        visible_until timestamptz,
        primary key (tenant_id, kind, subject_id)
      );
      -- Documents are written by jobs, which can wait; a search cannot, and looks through pending entries one by one.
      create index search_documents_vector on search_documents using gin (tenant_id, vector) with (fastupdate = off);
      create index search_documents_title on search_documents using gin (tenant_id, normalized_title gin_trgm_ops) with (fastupdate = off);
      create index search_documents_names on search_documents using gin (tenant_id, names) with (fastupdate = off);
    `);
  }
}
