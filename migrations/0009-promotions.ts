import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/**
 * Promo codes and gift cards. What open checkouts hold and what paid orders used are counters on the row itself, so
 * that one conditional update enforces a limit; each redemption is also a row, unique by order.
 */
export class Promotions extends Migration {
  override up(): void {
    this.addSql(`
      create table promo_codes (
        tenant_id ${id} not null,
        id ${id} not null,
        code text collate "C" not null check (code = upper(trim(code))),
        type text not null check (type in ('percent', 'fixed', 'free_shipping')),
        percent numeric(7, 4) check (percent > 0 and percent <= 100),
        value_cents bigint check (value_cents > 0),
        min_subtotal_cents bigint not null check (min_subtotal_cents >= 0),
        usage_limit int check (usage_limit > 0),
        per_customer_limit int check (per_customer_limit > 0),
        products jsonb not null,
        starts_at timestamptz,
        ends_at timestamptz,
        held int not null default 0 check (held >= 0),
        used int not null default 0 check (used >= 0),
        removed_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, code),
        check ((type = 'percent') = (percent is not null)),
        check ((type = 'fixed') = (value_cents is not null)),
        check (starts_at < ends_at)
      ) with (fillfactor = 80);
      create index promo_codes_managed on promo_codes (tenant_id, id) where removed_at is null;
      ${tenantTable('promo_codes')}

      create table promo_customers (
        tenant_id ${id} not null,
        promo_id ${id} not null,
        email text not null,
        held int not null check (held >= 0),
        used int not null check (used >= 0),
        primary key (tenant_id, promo_id, email),
        foreign key (tenant_id, promo_id) references promo_codes (tenant_id, id)
      );
      create index promo_customers_by_email on promo_customers (tenant_id, email);
      ${tenantTable('promo_customers')}

      create table promo_redemptions (
        tenant_id ${id} not null,
        promo_id ${id} not null,
        order_id ${id} not null,
        email text,
        redeemed_at timestamptz not null,
        primary key (tenant_id, promo_id, order_id),
        foreign key (tenant_id, promo_id) references promo_codes (tenant_id, id)
      );
      ${tenantTable('promo_redemptions')}

      create table gift_cards (
        tenant_id ${id} not null,
        id ${id} not null,
        code_hash bytea not null,
        last4 text not null,
        currency text not null,
        balance_cents bigint not null,
        held_cents bigint not null default 0,
        disabled_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, code_hash),
        check (held_cents between 0 and balance_cents)
      );
      create index gift_cards_by_last4 on gift_cards (tenant_id, last4, id);
      ${tenantTable('gift_cards')}

      -- When the owner set another balance of a card, and by how much it changed.
      create table gift_card_adjustments (
        tenant_id ${id} not null,
        gift_card_id ${id} not null,
        -- The version of the card with this change.
        version int not null,
        amount_cents bigint not null check (amount_cents <> 0),
        at timestamptz not null,
        primary key (tenant_id, gift_card_id, version),
        foreign key (tenant_id, gift_card_id) references gift_cards (tenant_id, id)
      );
      create index gift_card_adjustments_by_age on gift_card_adjustments (tenant_id, at);
      ${tenantTable('gift_card_adjustments')}

      create table gift_card_redemptions (
        tenant_id ${id} not null,
        gift_card_id ${id} not null,
        order_id ${id} not null,
        amount_cents bigint not null check (amount_cents > 0),
        redeemed_at timestamptz not null,
        -- What the card got back: all of it, or the share of the goods that were returned.
        returned_cents bigint not null default 0,
        primary key (tenant_id, gift_card_id, order_id),
        foreign key (tenant_id, gift_card_id) references gift_cards (tenant_id, id),
        constraint gift_card_redemptions_returned check (returned_cents between 0 and amount_cents)
      );
      create index gift_card_redemptions_of_order on gift_card_redemptions (tenant_id, order_id);
      ${tenantTable('gift_card_redemptions')}

      -- When a card got back something of a redemption, and how much: a redemption has only the sum.
      create table gift_card_returns (
        tenant_id ${id} not null,
        gift_card_id ${id} not null,
        order_id ${id} not null,
        -- What the card had got back of the redemption with this return.
        returned_cents bigint not null,
        amount_cents bigint not null check (amount_cents > 0),
        at timestamptz not null,
        primary key (tenant_id, gift_card_id, order_id, returned_cents),
        foreign key (tenant_id, gift_card_id, order_id)
          references gift_card_redemptions (tenant_id, gift_card_id, order_id)
      );
      create index gift_card_returns_by_age on gift_card_returns (tenant_id, at);
      ${tenantTable('gift_card_returns')}
    `);
  }
}
