import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Each store's account at the payment provider, its events, sessions, invoices and refunds, and drift reports. */
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
        -- How far a sweep has come within a time range with more events than one run can list: the end of the range,
        -- and the last event listed.
        events_listed_to timestamptz,
        events_listed_after text,
        sweeps_with_missed int not null default 0,
        silent_since timestamptz,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint payment_accounts_listed check ((events_listed_to is null) = (events_listed_after is null)),
        constraint payment_accounts_connect_without_keys
          check (mode = 'direct' or (secret_key_sealed is null and publishable_key is null))
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
      create unique index payment_webhook_secrets_current on payment_webhook_secrets (tenant_id)
        where state = 'current';
      ${tenantTable('payment_webhook_secrets')}

      -- Replacements of the secret that the payment provider signs with, each confirmed by a one-time password.
      create table payment_secret_rotations (
        tenant_id ${id} not null,
        id ${id} not null,
        state text not null check (state in ('requested', 'confirmed', 'done')),
        created_at timestamptz not null,
        confirmed_at timestamptz,
        leased_until timestamptz,
        primary key (tenant_id, id),
        check ((state = 'requested') = (confirmed_at is null))
      );
      create index payment_secret_rotations_by_age on payment_secret_rotations (created_at);
      ${tenantTable('payment_secret_rotations')}

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
      create index payment_events_received_at on payment_events (received_at);
      ${tenantTable('payment_events')}

      -- Time ranges whose events the payment provider had deleted before they were received, and how far its objects
      -- were scanned instead: from the oldest session that can have been paid in the range, one slice at a time.
      create table payment_event_gaps (
        tenant_id ${id} not null,
        id ${id} not null,
        lost_from timestamptz not null,
        lost_to timestamptz not null,
        scanned_to timestamptz not null,
        finished_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        constraint payment_event_gaps_range check (lost_from < lost_to and scanned_to <= lost_to)
      );
      create index payment_event_gaps_finished on payment_event_gaps (finished_at) where finished_at is not null;
      ${tenantTable('payment_event_gaps')}

      -- Orders the snapshots of the payment provider's objects: a number is taken before each request, because the
      -- clocks of the processes that send them differ.
      create sequence payment_snapshot_numbers;

      create table payment_sessions (
        tenant_id ${id} not null,
        order_id ${id} not null,
        state text not null check (state in
          ('creating', 'open', 'processing', 'settled', 'failed', 'expired', 'mismatched')),
        request json not null,
        idempotency_key text not null,
        request_key text,
        subject text,
        -- Whose subscriptions it would start, and to what: no two sessions that can be paid are for the same.
        subscriber text,
        subscribes text[],
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
      create index payment_sessions_due on payment_sessions (check_at) where check_at is not null;
      create index payment_sessions_by_age on payment_sessions (tenant_id, created_at);
      create index payment_sessions_to_check on payment_sessions (tenant_id, check_at) where check_at is not null;
      create index payment_sessions_subscribing on payment_sessions (tenant_id, subscriber)
        where state in ('creating', 'open') and superseded_at is null and subscriber is not null;
      create index payment_sessions_unpaid on payment_sessions (expires_at) where state in ('expired', 'failed');
      ${tenantTable('payment_sessions')}

      create table payment_invoices (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      create index payment_invoices_of_order on payment_invoices (tenant_id, order_id);
      ${tenantTable('payment_invoices')}

      -- Each refund that was requested here.
      create table payment_refunds (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        return_id ${id},
        state text not null check (state in ('requested', 'sent', 'refused', 'failed')),
        amount_cents bigint not null check (amount_cents >= 0),
        reason text,
        requested_by text not null,
        failure text,
        created_at timestamptz not null,
        settled_at timestamptz,
        primary key (tenant_id, id),
        check ((state = 'requested') = (settled_at is null)),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      create index payment_refunds_of_order on payment_refunds (tenant_id, order_id, id);
      create index payment_refunds_of_requester on payment_refunds (tenant_id, requested_by, created_at);
      ${tenantTable('payment_refunds')}

      -- When the amount of an order changed that was refunded or lost in disputes, and by how much.
      create table payment_reversals (
        tenant_id ${id} not null,
        order_id ${id} not null,
        cause text not null check (cause in ('refund', 'dispute')),
        -- The number of the provider's snapshot that showed the change.
        snapshot_number bigint not null,
        -- Negative where a refund failed later, or a loss was reversed.
        amount_cents bigint not null check (amount_cents <> 0),
        at timestamptz not null,
        primary key (tenant_id, order_id, cause, snapshot_number),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      create index payment_reversals_by_age on payment_reversals (tenant_id, at);
      ${tenantTable('payment_reversals')}

      -- What each daily comparison of a store's orders with its payment provider found: ids, mostly none.
      create table payment_drift_reports (
        tenant_id ${id} not null,
        id ${id} not null,
        compared_from timestamptz not null,
        compared_to timestamptz not null,
        unpaid_here jsonb not null,
        unpaid_there jsonb not null,
        unmade_renewals jsonb not null,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index payment_drift_reports_by_age on payment_drift_reports (created_at);
      ${tenantTable('payment_drift_reports')}
    `);
  }
}
