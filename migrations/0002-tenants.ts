import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** The stores, their API keys, and their counters of orders. */
export class Tenants extends Migration {
  override up(): void {
    this.addSql(`
      -- Without row-level security, like the keys: both are read to find out which tenant a request is for.
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
        -- The limit of operations that have none by key; null is the default limit.
        requests_per_second int check (requests_per_second > 0),
        session_secret_sealed text not null,
        -- Created when it is first needed. Customers' links and sessions have another.
        staff_secret_sealed text,
        refund_verification_above_cents bigint not null default 20000 check (refund_verification_above_cents >= 0),
        session_secret_number int not null,
        -- Since when its storefront is served no more, and no marketing email is sent.
        closed_at timestamptz,
        -- Since when no process finds it, and a job deletes its rows: this one last.
        removed_at timestamptz check (removed_at is null or closed_at is not null),
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );

      -- Who removed which store, for ever: nothing else of it stays. What is written for it late is deleted by its id.
      create table removed_stores (
        id ${id} primary key,
        slug text not null,
        closed_at timestamptz not null,
        removed_at timestamptz not null,
        -- The user and the machine of the command.
        removed_by text not null,
        -- Since when nothing is left of it, and its slug is free.
        deleted_at timestamptz
      );

      create table api_keys (
        id ${id} primary key,
        tenant_id ${id} not null references tenants (id),
        name text not null,
        kind text not null check (kind in ('secret', 'publishable')),
        scopes jsonb not null,
        hash bytea not null unique,
        -- Tells which pepper the hash was made with.
        pepper_id text not null,
        hint text not null,
        -- Null is the default limit.
        requests_per_minute int check (requests_per_minute > 0),
        expires_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz not null
      );
      create unique index api_keys_name on api_keys (tenant_id, name) where revoked_at is null;
      create index api_keys_of_tenant on api_keys (tenant_id, id);

      -- Each store's next order number.
      create table order_numbers (
        tenant_id ${id} primary key,
        next_number bigint not null check (next_number > 0)
      ) with (fillfactor = 50);
      ${tenantTable('order_numbers')}
    `);
  }
}
