import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Requests with an Idempotency-Key, and the response that a repeat gets. */
export class Idempotency extends Migration {
  override up(): void {
    this.addSql(`
      create table idempotency_keys (
        tenant_id ${id} not null,
        id ${id} not null,
        digest bytea not null,
        body_digest bytea not null,
        lease int not null,
        leased_until timestamptz not null,
        reply_sealed text,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, digest)
      );
      create index idempotency_keys_by_age on idempotency_keys (created_at);
      ${tenantTable('idempotency_keys')}
    `);
  }
}
