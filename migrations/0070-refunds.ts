import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Each refund that was asked for here, and what a gift card got back. */
export class Refunds extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_refunds (
        tenant_id ${id} not null,
        id ${id} not null,
        order_id ${id} not null,
        return_id ${id},
        state text not null check (state in ('requested', 'sent', 'refused')),
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
      ${tenantTable('payment_refunds')}

      alter table gift_card_redemptions add column returned_at timestamptz;
      create index gift_card_redemptions_of_order on gift_card_redemptions (tenant_id, order_id);
    `);
  }
}
