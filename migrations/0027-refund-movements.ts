import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** When the refunded amount of an order changed, and by how much: an order has only the sum. */
export class RefundMovements extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_refund_movements (
        tenant_id ${id} not null,
        order_id ${id} not null,
        -- The number of the provider's snapshot that showed the change.
        snapshot_number bigint not null,
        -- Negative where a refund failed later.
        amount_cents bigint not null check (amount_cents <> 0),
        at timestamptz not null,
        primary key (tenant_id, order_id, snapshot_number),
        foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
      );
      create index payment_refund_movements_by_age on payment_refund_movements (tenant_id, at);
      ${tenantTable('payment_refund_movements')}
    `);
  }
}
