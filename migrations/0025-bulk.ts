import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Imports, exports and bulk changes: files in chunks, the rows that wait to be applied, and the rejected rows. */
export class Bulk extends Migration {
  override up(): void {
    this.addSql(`
      create table bulk_operations (
        tenant_id ${id} not null,
        id ${id} not null,
        type text not null check (type in ('import', 'export', 'bulk_change')),
        kind text not null,
        format text not null,
        options jsonb not null,
        state text not null check (
          state in ('receiving', 'previewed', 'queued', 'running', 'completed', 'failed', 'canceled')),
        -- By what a bulk change selected; null where ids were given.
        filter jsonb,
        -- The bulk change that this one undoes.
        undoes ${id},
        requested_by jsonb not null,
        -- Of an import that was sent with an Idempotency-Key: whose key it is, and what it is bound to.
        request_digest bytea,
        file_digest bytea,
        file_bytes bigint not null default 0,
        -- The file up to here is in batches, or was applied; its columns and their separator, once they are known.
        bytes_read bigint not null default 0,
        columns text[],
        separator text,
        rows_read int not null default 0,
        -- The number of the last of them: a file also has a header and empty rows.
        last_row int not null default 0,
        -- Null until the whole file was read.
        rows_total int,
        rows_done int not null default 0,
        rows_failed int not null default 0,
        created int not null default 0,
        updated int not null default 0,
        unchanged int not null default 0,
        -- The first changes that a dry run or a preview found.
        changes jsonb not null default '[]',
        failure text,
        created_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        primary key (tenant_id, id),
        check ((finished_at is null) = (state in ('receiving', 'previewed', 'queued', 'running')))
      );
      create index bulk_operations_by_kind on bulk_operations (tenant_id, type, kind, id);
      create index bulk_operations_by_end on bulk_operations (tenant_id, finished_at);
      create index bulk_operations_by_age on bulk_operations (created_at);
      create index bulk_operations_open on bulk_operations (created_at) where finished_at is null;
      create index bulk_operations_by_request on bulk_operations (tenant_id, request_digest)
        where request_digest is not null;
      create unique index bulk_operations_undone on bulk_operations (tenant_id, undoes)
        where undoes is not null and state not in ('failed', 'canceled');
      ${tenantTable('bulk_operations')}

      -- A file as it was received or written: UTF-8, in pieces of some hundred kilobytes. Those of an import are deleted
      -- once they are in batches, those of an export when its link expires.
      create table bulk_chunks (
        tenant_id ${id} not null,
        operation_id ${id} not null,
        position int not null,
        starts_at bigint not null,
        content bytea not null,
        created_at timestamptz not null,
        primary key (tenant_id, operation_id, position),
        foreign key (tenant_id, operation_id) references bulk_operations (tenant_id, id) on delete cascade
      );
      create index bulk_chunks_by_age on bulk_chunks (created_at);
      ${tenantTable('bulk_chunks')}

      -- The rows that wait, in the order of the file. A batch is deleted in the transaction that applies it, so those that
      -- are left are what remains to be done.
      create table bulk_batches (
        tenant_id ${id} not null,
        operation_id ${id} not null,
        position int not null,
        items json not null,
        primary key (tenant_id, operation_id, position),
        foreign key (tenant_id, operation_id) references bulk_operations (tenant_id, id) on delete cascade
      );
      ${tenantTable('bulk_batches')}

      -- The rejected rows as they were received, so that they can be corrected and imported again.
      create table bulk_rejected_rows (
        tenant_id ${id} not null,
        operation_id ${id} not null,
        row_number int not null,
        cells jsonb not null,
        problem text not null,
        primary key (tenant_id, operation_id, row_number),
        foreign key (tenant_id, operation_id) references bulk_operations (tenant_id, id) on delete cascade
      );
      ${tenantTable('bulk_rejected_rows')}

      -- What a bulk change changed, with the values before and after, so that it can be undone.
      create table bulk_changed_items (
        tenant_id ${id} not null,
        operation_id ${id} not null,
        row_number int not null,
        item_id ${id} not null,
        "values" jsonb not null,
        primary key (tenant_id, operation_id, row_number),
        foreign key (tenant_id, operation_id) references bulk_operations (tenant_id, id) on delete cascade
      );
      ${tenantTable('bulk_changed_items')}
    `);
  }
}
