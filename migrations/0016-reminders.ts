import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** When a store reminds shoppers of the carts that they saved, each reminder, and the orders that followed. */
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

      -- Each reminder of a saved cart, the decision and its reason.
      create table reminder_steps (
        tenant_id ${id} not null,
        id ${id} not null,
        saved_cart_id ${id} not null,
        email text not null,
        number int not null check (number between 1 and 3),
        state text not null check (state in ('scheduled', 'sent', 'skipped')),
        reason text check (reason in
          ('store_closed', 'switched_off', 'purchased', 'expired', 'newer_cart', 'no_consent', 'unsubscribed', 'bounced',
           'items_gone', 'recently_reminded', 'quiet_hours')),
        due_at timestamptz not null,
        attempt int not null default 1,
        decided_at timestamptz,
        mail_id ${id},
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, saved_cart_id, number),
        foreign key (tenant_id, saved_cart_id) references saved_carts (tenant_id, id) on delete cascade,
        check (state <> 'skipped' or reason is not null),
        check (state <> 'sent' or (mail_id is not null and decided_at is not null))
      );
      create index reminder_steps_of_address on reminder_steps (tenant_id, email, id);
      create index reminder_steps_sent on reminder_steps (tenant_id, email, decided_at) where state = 'sent';
      create unique index reminder_steps_by_mail on reminder_steps (tenant_id, mail_id) where mail_id is not null;
      ${tenantTable('reminder_steps')}

      -- Orders that were placed after a saved cart was restored.
      create table reminder_recoveries (
        tenant_id ${id} not null,
        saved_cart_id ${id} not null,
        order_id ${id} not null,
        recovered_at timestamptz not null,
        primary key (tenant_id, saved_cart_id),
        foreign key (tenant_id, saved_cart_id) references saved_carts (tenant_id, id) on delete cascade
      );
      create index reminder_recoveries_by_age on reminder_recoveries (tenant_id, recovered_at);
      ${tenantTable('reminder_recoveries')}
    `);
  }
}
