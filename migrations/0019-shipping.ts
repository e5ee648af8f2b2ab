import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Accounts at parcel providers, shipping labels, and the parcels in transit. */
export class Shipping extends Migration {
  override up(): void {
    this.addSql(`
      create table shipping_accounts (
        tenant_id ${id} not null unique,
        id ${id} not null,
        provider text not null check (provider in ('shippo')),
        api_key_sealed text not null,
        webhook_token_sealed text,
        -- Set for accounts whose webhooks the provider signs, which it does on request only.
        webhook_secret_sealed text,
        carriers jsonb not null,
        origin jsonb not null,
        parcel jsonb not null,
        label_cost_cap_cents bigint check (label_cost_cap_cents >= 0),
        countries jsonb not null,
        options jsonb not null,
        paused_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id)
      );
      ${tenantTable('shipping_accounts')}

      create table second_shipping_accounts (
        tenant_id ${id} not null unique,
        id ${id} not null,
        provider text not null check (provider in ('easypost')),
        api_key_sealed text not null,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id)
      );
      ${tenantTable('second_shipping_accounts')}

      create table labels (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        order_number text not null,
        state text not null check (state in
          ('queued', 'rate_chosen', 'buying', 'purchased', 'needs_attention', 'skipped', 'voided')),
        reason_code text,
        reason_detail text,
        flagged_code text,
        latest_attempt int not null check (latest_attempt >= 1),
        failed_attempts int not null check (failed_attempts >= 0),
        next_attempt_at timestamptz,
        -- Since when the provider has asked to retry later: if that never ends, it needs attention.
        postponed_since timestamptz,
        lease_token text,
        lease_expires_at timestamptz,
        chosen_manually boolean not null,
        -- Whether a person requested it for the present address: then it may cross a border.
        requested_manually boolean not null default false,
        rate jsonb,
        rate_id text,
        -- Every rate that a purchase was requested with: a purchase may be found at any of them.
        requested_rate_ids text[] not null default '{}',
        amount_cents bigint check (amount_cents >= 0),
        buy_number int not null check (buy_number >= 0),
        buy_token text,
        buying_since timestamptz,
        empty_lookup_at timestamptz,
        -- Since when its order was refunded while a purchase is open: no other one is requested.
        unwanted_since timestamptz,
        purchase_id text,
        tracking_number text,
        tracking_url text,
        label_url text,
        purchased_at timestamptz,
        recheck_at timestamptz,
        rechecks int not null,
        -- Since when it is being voided: if the process dies, another one completes it.
        voiding_since timestamptz,
        voided_at timestamptz,
        -- When the provider rejected the refund of a voided label after all.
        refund_rejected_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade,
        check (state <> 'purchased' or (purchase_id is not null and buying_since is null)),
        check (state <> 'buying' or (rate_id is not null and buy_token is not null and buying_since is not null)),
        check (state <> 'needs_attention' or reason_code is not null)
      ) with (fillfactor = 80);
      create unique index labels_live on labels (tenant_id, order_id) where state <> 'voided';
      create index labels_of_order on labels (tenant_id, order_id);
      create index labels_by_state on labels (tenant_id, state, id);
      create index labels_by_reason on labels (tenant_id, reason_code, id) where reason_code is not null;
      create unique index labels_by_purchase on labels (tenant_id, purchase_id) where purchase_id is not null;
      create index labels_needing_attention on labels (reason_code, updated_at, id) where state = 'needs_attention';
      create index labels_to_try_again on labels (next_attempt_at) where next_attempt_at is not null;
      create index labels_to_recheck on labels (recheck_at) where recheck_at is not null;
      create index labels_open_purchases on labels (buying_since) where buying_since is not null;
      ${tenantTable('labels')}

      -- Purchases that their order does not use: a second one, or one that was voided at the provider itself.
      create table unused_labels (
        tenant_id ${id} not null,
        purchase_id text not null,
        label_id ${id} not null,
        -- What it cost: known where it was bought at the rate of the label, else fetched.
        rate_id text,
        amount_cents bigint,
        currency text,
        state text not null check (state in ('found', 'duplicate_voided', 'refund_refused', 'voided_at_provider')),
        found_at timestamptz not null,
        -- When the journal has its cost, its refund, and the end of that refund if the provider rejects it after all.
        charged_at timestamptz,
        refunded_at timestamptz,
        refund_rejected_at timestamptz,
        acknowledged_at timestamptz,
        primary key (tenant_id, purchase_id),
        foreign key (tenant_id, label_id) references labels (tenant_id, id) on delete cascade
      );
      create index unused_labels_of_label on unused_labels (tenant_id, label_id);
      ${tenantTable('unused_labels')}

      create table trackings (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        label_id ${id},
        carrier text not null,
        carrier_name text not null,
        service text,
        tracking_number text not null,
        tracking_url text,
        status text not null check (status in
          ('unknown', 'pre_transit', 'transit', 'failure', 'delivered', 'returned')),
        status_at timestamptz,
        overdue_at timestamptz,
        followed boolean not null,
        polls int not null,
        next_poll_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, tracking_number, carrier, order_id),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      create index trackings_of_order on trackings (tenant_id, order_id);
      create index trackings_to_poll on trackings (next_poll_at) where next_poll_at is not null;
      ${tenantTable('trackings')}

      create table shipping_notifications (
        tenant_id ${id} not null,
        id ${id} not null,
        kind text not null check (kind in ('track', 'transaction')),
        subject text not null,
        fingerprint text not null,
        received_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, fingerprint)
      );
      create index shipping_notifications_by_age on shipping_notifications (received_at);
      ${tenantTable('shipping_notifications')}
    `);
  }
}
