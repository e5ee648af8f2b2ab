import { Migration } from '@mikro-orm/migrations';

/**
 * Snapshots of the payment provider's objects are ordered by a number that is taken before each request, because the
 * clocks of the processes that request them differ. `orders.payment_requested_at` goes one release later.
 */
export class SnapshotNumbers extends Migration {
  override up(): void {
    this.addSql(`
      create sequence payment_snapshot_numbers;
      alter table orders add column payment_snapshot_number bigint not null default 0;
      alter table subscriptions add column snapshot_number bigint not null default 0;
    `);
  }
}
