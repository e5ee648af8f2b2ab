import { Migration } from '@mikro-orm/migrations';

/** A key, and a store's unlimited operations, may have limits of their own. Without one the default holds. */
export class OwnLimits extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_keys add column requests_per_minute int check (requests_per_minute > 0);
      alter table tenants add column requests_per_second int check (requests_per_second > 0);
    `);
  }
}
