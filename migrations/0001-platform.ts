import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** The tables that belong to no tenant: tenants, their keys, and the outbox; and each tenant's counter of orders, events and audit log. */
export class Platform extends Migration {
  override up(): void {
    this.addSql(`
      create extension if not exists pg_trgm;

      create table tenants (
        id ${id} primary key,
        slug text not null unique,
        name text not null,
        owner_email text not null,
        currency text not null,
        locale text not null,
        timezone text not null,
        storefront_url text not null,
        magic_link_path text not null,
        restore_path text not null,
        allowed_origins jsonb not null,
        mail_from text,
        theme jsonb not null,
        links jsonb not null,
        modules jsonb not null,
        session_secret_sealed text not null,
        session_secret_number int not null,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );

      create table api_keys (
        id ${id} primary key,
        tenant_id ${id} not null references tenants (id),
        name text not null,
        kind text not null check (kind in ('secret', 'publishable')),
        scopes jsonb not null,
        hash bytea not null unique,
        hint text not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz not null
      );
      create unique index api_keys_name on api_keys (tenant_id, name) where revoked_at is null;
      create index api_keys_of_tenant on api_keys (tenant_id, id);

      create table order_numbers (
        tenant_id ${id} primary key,
        next_number bigint not null check (next_number > 0)
      ) with (fillfactor = 50);
      ${tenantTable('order_numbers')}

      create table outbox (
        id ${id} primary key,
        tenant_id ${id},
        job text not null,
        queue text not null,
        key text not null,
        payload jsonb not null,
        request_id text,
        trace jsonb not null,
        due_at timestamptz not null,
        next_relay_at timestamptz,
        relays int not null default 0,
        starts int not null default 0,
        finished_at timestamptz,
        failed_at timestamptz,
        failure text,
        created_at timestamptz not null default now(),
        unique nulls not distinct (tenant_id, job, key)
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
      create index outbox_due on outbox (next_relay_at) where relays = 0 and next_relay_at is not null;
      create index outbox_relayed on outbox (next_relay_at) where relays > 0 and next_relay_at is not null;
      create index outbox_finished on outbox (finished_at) where finished_at is not null;
      create index outbox_failed on outbox (failed_at) where failed_at is not null;

      create table events (
        tenant_id ${id} not null,
        id ${id} not null,
        type text not null,
        object_id ${id} not null,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index events_by_age on events (tenant_id, created_at);
      ${tenantTable('events')}

      create table audit_log (
        tenant_id ${id} not null,
        id ${id} not null,
        actor_kind text not null,
        actor_id text not null,
        action text not null,
        subject_kind text not null,
        subject_id text not null,
        before jsonb,
        after jsonb,
        request_id text,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index audit_log_by_subject on audit_log (tenant_id, subject_kind, subject_id, id);
      ${tenantTable('audit_log')}
    `);
  }
}
