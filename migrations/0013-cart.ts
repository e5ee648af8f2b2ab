import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/**
 * Carts, the carts that shoppers saved by email, and who wants no reminders. The limits of a cart are constraints: they
 * hold for every statement, however many run at once.
 */
export class Cart extends Migration {
  override up(): void {
    this.addSql(`
      create table carts (
        tenant_id ${id} not null,
        id ${id} not null,
        status text not null check (status in ('active', 'converted')),
        currency text not null,
        session_id text,
        customer_id text,
        line_count int not null default 0,
        version int not null default 1,
        expires_at timestamptz not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        constraint cart_holds_100_lines check (line_count between 0 and 100)
      ) with (fillfactor = 70);
      create index carts_by_expiry on carts (expires_at);
      ${tenantTable('carts')}

      create table cart_lines (
        tenant_id ${id} not null,
        id ${id} not null,
        cart_id ${id} not null,
        variant_id ${id} not null,
        -- Whether the shopper chose the variant; false when it was the only one.
        variant_named boolean not null,
        quantity int not null,
        purchase_type text not null check (purchase_type in ('one_time', 'subscription')),
        subscription_interval text check (subscription_interval in ('month', 'quarter')),
        -- The price that the shopper last saw.
        seen_price_cents bigint not null check (seen_price_cents >= 0),
        primary key (tenant_id, id),
        unique nulls not distinct (tenant_id, cart_id, variant_id, purchase_type, subscription_interval),
        foreign key (tenant_id, cart_id) references carts (tenant_id, id) on delete cascade,
        foreign key (tenant_id, variant_id) references variants (tenant_id, id),
        constraint cart_line_holds_999 check (quantity between 1 and 999),
        check ((purchase_type = 'subscription') = (subscription_interval is not null))
      ) with (fillfactor = 80);
      ${tenantTable('cart_lines')}

      create table saved_carts (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null,
        session_id text,
        cart_id ${id},
        currency text not null,
        items jsonb not null,
        consent boolean not null,
        restore_token_hash bytea not null,
        saved_at timestamptz not null,
        expires_at timestamptz not null,
        restored_at timestamptz,
        converted_at timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, restore_token_hash)
      );
      create index saved_carts_by_email on saved_carts (tenant_id, email, saved_at);
      create index saved_carts_of_cart on saved_carts (tenant_id, cart_id) where cart_id is not null;
      create index saved_carts_of_session on saved_carts (tenant_id, session_id) where session_id is not null;
      create index saved_carts_by_expiry on saved_carts (expires_at);
      ${tenantTable('saved_carts')}

      -- A row per email that wants no reminders.
      create table mail_preferences (
        tenant_id ${id} not null,
        email text not null,
        unsubscribed_at timestamptz not null,
        primary key (tenant_id, email)
      );
      ${tenantTable('mail_preferences')}

      -- A row per unsubscribe link that was sent. It stays valid, also when the store's secret is rotated.
      create table unsubscribe_links (
        tenant_id ${id} not null,
        token_hash bytea not null,
        email text not null,
        created_at timestamptz not null,
        primary key (tenant_id, token_hash)
      );
      create index unsubscribe_links_by_age on unsubscribe_links (created_at);
      ${tenantTable('unsubscribe_links')}
    `);
  }
}
