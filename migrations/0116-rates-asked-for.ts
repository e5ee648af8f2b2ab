import { Migration } from '@mikro-orm/migrations';

/** A label remembers each rate that a purchase was asked for with, so that none is looked for in vain at another. */
export class RequestedRates extends Migration {
  override up(): void {
    this.addSql(`
      alter table labels add column requested_rate_ids text[] not null default '{}';
      set local app.platform = 'on';
      update labels set requested_rate_ids = array[rate_id] where rate_id is not null and buy_number > 0;
      set local app.platform = 'off';
    `);
  }
}
