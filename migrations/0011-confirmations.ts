import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** One-time passwords that the owner of a store got by email. The codes are derived, so none is stored. */
export class Confirmations extends Migration {
  override up(): void {
    this.addSql(`
      create table one_time_passwords (
        tenant_id ${id} not null,
        id ${id} not null,
        purpose text not null,
        -- The member of the staff whose code it is; null for the owner's. Those of each are limited apart.
        staff_id ${id},
        wrong_codes int not null default 0 check (wrong_codes >= 0),
        created_at timestamptz not null,
        used_at timestamptz,
        primary key (tenant_id, id)
      );
      create index one_time_passwords_by_age on one_time_passwords (tenant_id, created_at);
      create index one_time_passwords_created_at on one_time_passwords (created_at);
      ${tenantTable('one_time_passwords')}
    `);
  }
}
