import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** What each daily comparison of a store's orders with its payment provider found: ids of orders, mostly none. */
export class DriftReports extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_drift_reports (
        tenant_id ${id} not null,
        id ${id} not null,
        compared_from timestamptz not null,
        compared_to timestamptz not null,
        unpaid_here jsonb not null,
        unpaid_there jsonb not null,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      ${tenantTable('payment_drift_reports')}
    `);
  }
}
