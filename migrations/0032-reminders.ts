import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** When a store reminds shoppers of the carts that they saved. */
export class Reminders extends Migration {
  override up(): void {
    this.addSql(`
      create table reminder_settings (
        tenant_id ${id} not null primary key,
        enabled boolean not null,
        steps_ms jsonb not null check (jsonb_array_length(steps_ms) <= 3),
        quiet_hours jsonb check (jsonb_array_length(quiet_hours) = 2),
        per_address_ms bigint not null check (per_address_ms >= 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      ${tenantTable('reminder_settings')}
    `);
  }
}
