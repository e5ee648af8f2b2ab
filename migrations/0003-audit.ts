import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Who changed what, with the values before and after. */
export class Audit extends Migration {
  override up(): void {
    this.addSql(`
      create table audit_log (
        tenant_id ${id} not null,
        id ${id} not null,
        actor_kind text not null,
        actor_id text not null,
        action text not null,
        subject_kind text not null,
        subject_id text not null,
        before jsonb,
        after jsonb,
        request_id text,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index audit_log_by_kind on audit_log (tenant_id, subject_kind, id);
      create index audit_log_by_subject on audit_log (tenant_id, subject_id, id);
      -- For retention, which deletes what shoppers did and keeps what the owner's side changed.
      create index audit_log_of_shoppers on audit_log (created_at)
        where actor_kind = 'shopper' or action = 'billing_portal.opened';
      ${tenantTable('audit_log')}
    `);
  }
}
