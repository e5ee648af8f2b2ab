import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Batches of events that cannot be folded, kept apart until a person has seen to them: the others go on. */
export class QuarantinedEvents extends Migration {
  override up(): void {
    this.addSql(`
      create table analytics_quarantine (
        tenant_id ${id} not null,
        id ${id} not null,
        received_at timestamptz not null,
        source text not null,
        bot boolean not null,
        visitor text,
        event_count int not null,
        events json not null,
        -- PostgreSQL's code of what it found wrong with it.
        reason text not null,
        quarantined_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index analytics_quarantine_by_age on analytics_quarantine (received_at);
      ${tenantTable('analytics_quarantine')}
    `);
  }
}
