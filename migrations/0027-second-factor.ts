import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** What members of the staff confirm with: an authenticator app, recovery codes or an emailed code; and from what amount. */
export class SecondFactor extends Migration {
  override up(): void {
    this.addSql(`
      alter table tenants add column refund_verification_above_cents int not null default 20000
        check (refund_verification_above_cents >= 0);
      create index payment_refunds_of_requester on payment_refunds (tenant_id, requested_by, created_at);

      alter table staff
        add column totp_secret_sealed text,
        -- Null while the member has not shown yet that the app makes the right codes.
        add column totp_confirmed_at timestamptz,
        -- The time step of the last code: neither it nor an earlier one is accepted again.
        add column totp_step bigint not null default 0,
        add column wrong_codes int not null default 0,
        add column wrong_codes_since timestamptz;

      create table staff_recovery_codes (
        tenant_id ${id} not null,
        staff_id ${id} not null,
        code_hash bytea not null,
        used_at timestamptz,
        primary key (tenant_id, staff_id, code_hash),
        foreign key (tenant_id, staff_id) references staff (tenant_id, id) on delete cascade
      );
      ${tenantTable('staff_recovery_codes')}

      -- Whose code it is; null for the owner's. Those of each are limited apart.
      alter table one_time_passwords add column staff_id ${id};
    `);
  }
}
