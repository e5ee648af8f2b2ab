import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** What a store publishes: articles, recipes, announcements and any other type it names. */
export class Content extends Migration {
  override up(): void {
    this.addSql(`
      create table entries (
        tenant_id ${id} not null,
        id ${id} not null,
        type text not null,
        slug text not null,
        title text not null,
        summary text,
        body jsonb not null,
        image jsonb,
        author text,
        starts_at timestamptz,
        ends_at timestamptz,
        -- Visible from then on; null is a draft.
        published_at timestamptz,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, slug, type),
        check (ends_at > starts_at)
      );
      create index entries_by_type on entries (tenant_id, type, id);
      create index entries_published on entries (tenant_id, type, published_at, id) where published_at is not null;
      -- Announcements that have not ended, without those of the past.
      -- No coalesce, which PostgreSQL looks up in no index of a table with row-level security.
      create index entries_by_end on entries
        (tenant_id, type, (case when ends_at is null then 'infinity' else ends_at end))
        where published_at is not null;
      ${tenantTable('entries')}

      create table entry_tags (
        tenant_id ${id} not null,
        entry_id ${id} not null,
        tag text not null,
        position int not null,
        -- Copied from the entry, so that a page of a tag is read from an index in its order.
        type text not null,
        published_at timestamptz,
        primary key (tenant_id, entry_id, tag),
        foreign key (tenant_id, entry_id) references entries (tenant_id, id) on delete cascade
      );
      create index entry_tags_published on entry_tags (tenant_id, type, tag, published_at, entry_id)
        where published_at is not null;
      ${tenantTable('entry_tags')}
    `);
  }
}
