import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Replacements of the secret that the payment provider signs with, each confirmed by a one-time password. */
export class SecretRotations extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_secret_rotations (
        tenant_id ${id} not null,
        id ${id} not null,
        state text not null check (state in ('requested', 'confirmed', 'done')),
        wrong_codes int not null default 0 check (wrong_codes >= 0),
        created_at timestamptz not null,
        confirmed_at timestamptz,
        leased_until timestamptz,
        primary key (tenant_id, id),
        check ((state = 'requested') = (confirmed_at is null))
      );
      ${tenantTable('payment_secret_rotations')}
    `);
  }
}
