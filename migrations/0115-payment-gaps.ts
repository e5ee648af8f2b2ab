import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/**
 * Stretches of time whose events the payment provider had forgotten before anybody took them in, and how far its objects
 * were looked through instead; and what comparisons find of renewals.
 */
export class PaymentGaps extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_event_gaps (
        tenant_id ${id} not null,
        id ${id} not null,
        lost_from timestamptz not null,
        lost_to timestamptz not null,
        scanned_to timestamptz not null,
        finished_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        check (lost_from < lost_to and scanned_to between lost_from and lost_to)
      );
      ${tenantTable('payment_event_gaps')}

      alter table payment_drift_reports add column unmade_renewals jsonb not null default '[]';
    `);
  }
}
