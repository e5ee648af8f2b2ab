import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Connections to third parties that the owner consents to, and the calls that these send afterwards. */
export class Integrations extends Migration {
  override up(): void {
    this.addSql(`
      create table integration_connections (
        tenant_id ${id} not null,
        id ${id} not null,
        provider text not null,
        state_hash bytea not null,
        return_url text not null,
        expires_at timestamptz not null,
        received_sealed text,
        received_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, state_hash),
        check ((received_sealed is null) = (received_at is null))
      );
      create index integration_connections_lapsed on integration_connections (expires_at) where received_at is null;
      ${tenantTable('integration_connections')}

      create table integration_calls (
        tenant_id ${id} not null,
        id ${id} not null,
        provider text not null,
        -- The caller's own id of the message: a repeat is the same call.
        message_id text not null,
        body_sealed text not null,
        state text not null check (state in ('received', 'handled', 'ignored', 'failed')),
        received_at timestamptz not null,
        finished_at timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, provider, message_id),
        check ((state = 'received') = (finished_at is null))
      );
      create index integration_calls_by_age on integration_calls (received_at);
      ${tenantTable('integration_calls')}
    `);
  }
}
