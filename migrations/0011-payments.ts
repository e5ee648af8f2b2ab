import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Each store's account at the payment provider, the sessions opened there, and the events heard from it. */
export class Payments extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_accounts (
        tenant_id ${id} not null primary key,
        mode text not null check (mode in ('direct', 'connect')),
        account_id text,
        secret_key_sealed text,
        publishable_key text,
        session_lifetime_ms bigint not null check (session_lifetime_ms > 0),
        automatic_tax boolean not null,
        events_swept_to timestamptz,
        sweeps_with_missed int not null default 0,
        silent_since timestamptz,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      ${tenantTable('payment_accounts')}

      create table payment_webhook_secrets (
        tenant_id ${id} not null,
        id ${id} not null,
        secret_sealed text not null,
        provider_endpoint_id text,
        state text not null check (state in ('current', 'retiring', 'retired')),
        retires_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create unique index payment_webhook_secrets_current on payment_webhook_secrets (tenant_id) where state = 'current';
      ${tenantTable('payment_webhook_secrets')}

      create table payment_events (
        tenant_id ${id} not null,
        id ${id} not null,
        type text not null,
        subject text check (subject in ('session', 'subscription', 'invoice', 'payment')),
        object_id text not null,
        source text not null check (source in ('webhook', 'sweep')),
        state text not null check (state in ('pending', 'applied', 'ignored', 'unknown_order')),
        occurred_at timestamptz not null,
        received_at timestamptz not null,
        settled_at timestamptz,
        primary key (tenant_id, id)
      ) with (fillfactor = 80);
      create index payment_events_by_age on payment_events (tenant_id, received_at);
      ${tenantTable('payment_events')}

      create table payment_sessions (
        tenant_id ${id} not null,
        order_id ${id} not null,
        state text not null check (state in ('creating', 'open', 'processing', 'settled', 'failed', 'expired', 'mismatched')),
        request json not null,
        idempotency_key text not null,
        request_key text,
        subject text,
        superseded_at timestamptz,
        provider_session_id text,
        provider_payment_id text,
        url text,
        checks int not null default 0,
        check_at timestamptz,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        primary key (tenant_id, order_id),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      ) with (fillfactor = 80);
      create unique index payment_sessions_live on payment_sessions (tenant_id, subject)
        where state in ('creating', 'open') and superseded_at is null and subject is not null;
      create unique index payment_sessions_by_request on payment_sessions (tenant_id, request_key)
        where request_key is not null and state in ('creating', 'open');
      create unique index payment_sessions_by_provider on payment_sessions (tenant_id, provider_session_id)
        where provider_session_id is not null;
      create index payment_sessions_to_check on payment_sessions (tenant_id, check_at) where check_at is not null;
      ${tenantTable('payment_sessions')}

      create table payment_invoices (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      ${tenantTable('payment_invoices')}
    `);
  }
}
