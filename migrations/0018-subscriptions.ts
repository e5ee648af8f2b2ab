import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** What customers receive regularly: one row for each item of a subscription at the payment provider. */
export class Subscriptions extends Migration {
  override up(): void {
    this.addSql(`
      create table subscriptions (
        tenant_id ${id} not null,
        id ${id} not null,
        payment_subscription_id ${id} not null,
        payment_item_id ${id} not null,
        payment_customer_id text not null,
        order_id ${id} not null,
        product_id ${id} not null,
        variant_id ${id},
        status text not null check (status in ('active', 'trialing', 'past_due', 'paused', 'canceled')),
        interval text not null check (interval in ('month', 'quarter')),
        quantity int not null check (quantity > 0),
        unit_price_cents bigint not null check (unit_price_cents >= 0),
        currency text not null,
        email text,
        customer_id ${id},
        -- Where its parcels go since that was changed; before, to the address of the order that began it.
        shipping_address jsonb,
        current_period_end timestamptz not null,
        cancel_at_period_end boolean not null,
        canceled_at timestamptz,
        -- The number of the newest snapshot from the provider that was applied.
        snapshot_number bigint not null default 0,
        version int not null default 1,
        requested_at timestamptz not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, payment_subscription_id, payment_item_id)
      );
      create index subscriptions_live on subscriptions (tenant_id, email, product_id) where status <> 'canceled';
      create index subscriptions_by_status on subscriptions (tenant_id, status, id);
      create index subscriptions_by_email on subscriptions (tenant_id, email, id);
      create index subscriptions_of_order on subscriptions (tenant_id, order_id);
      create index subscriptions_by_product on subscriptions (tenant_id, product_id, id);
      create index subscriptions_by_variant on subscriptions (tenant_id, variant_id, id);
      ${tenantTable('subscriptions')}
    `);
  }
}
