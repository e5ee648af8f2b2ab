import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Erasures of people: what each will do, how far it has come, and what it did. */
export class Privacy extends Migration {
  override up(): void {
    this.addSql(`
      create table erasures (
        tenant_id ${id} not null,
        id ${id} not null,
        -- Null once it is completed, as the customer's id: the pseudonym of the audit log is what stays.
        email text,
        customer_id ${id},
        audit_subject_id text not null,
        state text not null check (state in ('queued', 'previewed', 'running', 'blocked', 'completed', 'failed')),
        -- The rows by part: how many there were in the preview, and how many were erased.
        found jsonb,
        erased jsonb not null default '{}',
        blockers jsonb not null default '[]',
        payment_customer_ids jsonb not null default '[]',
        -- The part with which the next batch begins.
        step int not null default 0,
        -- The orders that the last batch knew and left. Where there are more, others have arrived.
        orders_left int not null default 0,
        -- Counts its jobs, so that each has another key.
        jobs int not null default 0,
        failure text,
        requested_by jsonb not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        primary key (tenant_id, id),
        check ((finished_at is null) = (state <> 'completed')),
        check ((email is null) = (state = 'completed'))
      );
      create unique index erasures_of_subject on erasures (tenant_id, email) where email is not null;
      create index erasures_waiting on erasures (tenant_id) where state in ('blocked', 'failed');
      create index erasures_by_age on erasures (updated_at);
      ${tenantTable('erasures')}
    `);
  }
}
