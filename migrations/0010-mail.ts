import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Emails as rows, each with its job in the transaction that causes it. */
export class Mail extends Migration {
  override up(): void {
    this.addSql(`
      create table mails (
        tenant_id ${id} not null,
        id ${id} not null,
        kind text not null check (kind in
          ('magic_link', 'receipt', 'shipped', 'abandoned_cart', 'one_time_password', 'return_update',
           'endpoint_warning', 'restock', 'gift', 'staff_sign_in', 'staff_invitation', 'staff_owner_added',
           'staff_code', 'refunded')),
        recipient text not null,
        data jsonb not null,
        subject_id ${id} not null,
        message_id text not null,
        state text not null check (state in
          ('queued', 'sending', 'sent', 'bounced', 'suppressed', 'outcome_unknown', 'failed')),
        attempt_count int not null default 0,
        next_attempt_at timestamptz,
        lease text,
        leased_until timestamptz,
        failure text,
        sent_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        check ((state = 'sending') = (lease is not null))
      );
      create index mails_of_subject on mails (tenant_id, subject_id, id);
      create index mails_to_recipient on mails (tenant_id, recipient, kind, id);
      create index mails_by_age on mails (created_at);
      create index mails_failed on mails (tenant_id, id) where state = 'failed';
      ${tenantTable('mails')}

      -- Emails that a message bounced from: nothing is sent to them again.
      create table mail_suppressions (
        tenant_id ${id} not null,
        address text not null,
        reason text not null check (reason in ('bounced')),
        created_at timestamptz not null,
        primary key (tenant_id, address)
      );
      ${tenantTable('mail_suppressions')}
    `);
  }
}
