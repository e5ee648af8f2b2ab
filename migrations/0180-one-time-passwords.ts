import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/**
 * One-time passwords that the owner of a store was emailed, and how often each was guessed. The codes themselves are
 * derived. Rotations that were begun before keep theirs; their own count of wrong codes is not used any more.
 */
export class OneTimePasswords extends Migration {
  override up(): void {
    this.addSql(`
      create table one_time_passwords (
        tenant_id ${id} not null,
        id ${id} not null,
        purpose text not null,
        wrong_codes int not null default 0 check (wrong_codes >= 0),
        created_at timestamptz not null,
        used_at timestamptz,
        primary key (tenant_id, id)
      );
      create index one_time_passwords_created_at on one_time_passwords (created_at);
      ${tenantTable('one_time_passwords')}
      set local app.platform = 'on';
      insert into one_time_passwords (tenant_id, id, purpose, wrong_codes, created_at, used_at)
      select tenant_id, id, 'payments.rotate-webhook-secret', wrong_codes, created_at, confirmed_at
      from payment_secret_rotations;
      set local app.platform = 'off';
    `);
  }
}
