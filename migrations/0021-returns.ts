import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** What shoppers want to send back, and the number of each store's next return. */
export class Returns extends Migration {
  override up(): void {
    this.addSql(`
      create table return_counters (
        tenant_id ${id} primary key,
        next_number bigint not null
      );
      ${tenantTable('return_counters')}

      create table returns (
        tenant_id ${id} not null,
        id ${id} not null,
        number bigint not null,
        order_id ${id} not null,
        order_number text not null,
        email text not null,
        status text not null check (status in
          ('requested', 'approved', 'rejected', 'received', 'refunded', 'closed')),
        -- The owner's latest message to the shopper.
        note text,
        approved_at timestamptz,
        -- When an approved one was closed, because the goods never came: its items may be in another return.
        released_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, number),
        foreign key (tenant_id, order_id) references orders (tenant_id, id)
      );
      create index returns_of_order on returns (tenant_id, order_id);
      create index returns_by_email on returns (tenant_id, email, id);
      create index returns_by_status on returns (tenant_id, status, id);
      ${tenantTable('returns')}

      create table return_items (
        tenant_id ${id} not null,
        return_id ${id} not null,
        position int not null,
        order_item_id ${id} not null,
        variant_id ${id} not null,
        name text not null,
        quantity int not null check (quantity > 0),
        reason text,
        note text,
        primary key (tenant_id, return_id, position),
        foreign key (tenant_id, return_id) references returns (tenant_id, id) on delete cascade,
        foreign key (tenant_id, order_item_id) references order_items (tenant_id, id)
      );
      create index return_items_of_order_item on return_items (tenant_id, order_item_id);
      ${tenantTable('return_items')}
    `);
  }
}
