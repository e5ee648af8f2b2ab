import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Orders, their items, and what is held for them until they are paid or end. */
export class Orders extends Migration {
  override up(): void {
    this.addSql(`
      create table orders (
        tenant_id ${id} not null,
        id ${id} not null,
        -- Null for an order that was imported: its number was given elsewhere.
        number bigint,
        order_number text not null,
        status text not null check (status in
          ('pending', 'paid', 'payment_failed', 'expired', 'canceled', 'partially_refunded', 'refunded')),
        payment_status text not null check (payment_status in
          ('unpaid', 'processing', 'paid', 'failed', 'partially_refunded', 'refunded')),
        fulfillment_status text not null check (fulfillment_status in
          ('unfulfilled', 'label_purchased', 'shipped', 'delivered', 'returned', 'exception', 'needs_attention',
           'not_required')),
        dispute_status text check (dispute_status in ('open', 'won', 'lost')),
        currency text not null,
        email text,
        customer_id ${id},
        subtotal_cents bigint not null check (subtotal_cents >= 0),
        discount_cents bigint not null default 0 check (discount_cents >= 0),
        gift_card_cents bigint not null default 0 check (gift_card_cents >= 0),
        shipping_cents bigint not null default 0 check (shipping_cents >= 0),
        tax_cents bigint not null default 0 check (tax_cents >= 0),
        total_cents bigint not null check (total_cents >= 0),
        refunded_cents bigint not null default 0 check (refunded_cents >= 0),
        -- The payment provider's ids of the refunds that its shopper was emailed about.
        reported_refunds jsonb not null default '[]',
        shipping_address jsonb,
        labels jsonb not null default '[]',
        -- Why it needs attention: a list of { code, detail }, the most urgent first, each code once.
        attentions jsonb not null default '[]',
        promo_code text,
        partner_code text,
        cart_id ${id},
        metadata jsonb not null default '{}',
        gift jsonb,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        paid_at timestamptz,
        payment_id text,
        -- The number of the newest snapshot of the payment that was applied.
        payment_snapshot_number bigint not null default 0,
        shipped_at timestamptz,
        delivered_at timestamptz,
        -- Of an order that was made elsewhere, before the store moved here.
        imported_at timestamptz,
        check ((number is null) = (imported_at is not null)),
        primary key (tenant_id, id),
        unique (tenant_id, number)
      ) with (fillfactor = 80);
      create index orders_by_age on orders (tenant_id, created_at, id);
      create index orders_by_update on orders (tenant_id, updated_at, id);
      create index orders_by_order_number on orders (tenant_id, order_number);
      create index orders_by_email on orders (tenant_id, email, created_at, id) where email is not null;
      create index orders_by_status on orders (tenant_id, status, created_at, id);
      create index orders_by_fulfillment on orders (tenant_id, fulfillment_status, created_at, id);
      -- As src/domain/orders/read-order.ts says what is to be shipped.
      create index orders_to_ship on orders (tenant_id, created_at, id)
        where status = any(array['paid', 'partially_refunded']) and fulfillment_status = 'unfulfilled';
      create index orders_with_attentions on orders (tenant_id, created_at, id) where attentions <> '[]';
      create index orders_never_paid on orders (created_at)
        where status in ('payment_failed', 'expired', 'canceled') and paid_at is null and imported_at is null;
      create index orders_disputed on orders (tenant_id, id) where dispute_status = 'open';
      ${tenantTable('orders')}

      create table order_items (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        position int not null,
        product_id ${id} not null,
        product_slug text not null,
        variant_id ${id} not null,
        variant_named boolean not null,
        sku text,
        name text not null,
        quantity int not null check (quantity > 0),
        unit_price_cents bigint not null check (unit_price_cents >= 0),
        discount_cents bigint not null default 0 check (discount_cents >= 0),
        total_cents bigint not null check (total_cents >= 0),
        purchase_type text not null check (purchase_type in ('one_time', 'subscription')),
        subscription_interval text check (subscription_interval in ('month', 'quarter')),
        weight_oz numeric,
        ships boolean not null,
        returned_quantity int not null default 0 check (returned_quantity between 0 and quantity),
        primary key (tenant_id, id),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      create index order_items_of_order on order_items (tenant_id, order_id, position);
      ${tenantTable('order_items')}

      -- What an order holds of limited things until it is paid (captured) or ends (released).
      create table holds (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        kind text not null check (kind in ('gift_card', 'promo', 'stock')),
        subject_id ${id} not null,
        quantity int not null default 0 check (quantity >= 0),
        amount_cents bigint not null default 0 check (amount_cents >= 0),
        customer_email text,
        state text not null check (state in ('held', 'captured', 'released')),
        expires_at timestamptz not null,
        created_at timestamptz not null,
        closed_at timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, order_id, kind, subject_id),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      create index holds_released on holds (closed_at) where state = 'released';
      ${tenantTable('holds')}
    `);
  }
}
