import { Migration } from '@mikro-orm/migrations';

/**
 * What operators and retention look for across all stores. Rows of these tables come in the order of their time, so
 * that a summary of each range of pages finds them, at next to no cost to whoever writes.
 */
export class Operations extends Migration {
  override up(): void {
    this.addSql(`
      create index payment_events_by_time on payment_events using brin (received_at) with (autosummarize = on);
      create index events_by_time on events using brin (created_at) with (autosummarize = on);
      create index mails_by_time on mails using brin (created_at) with (autosummarize = on);
      create index labels_open_purchases on labels (buying_since) where buying_since is not null;
    `);
  }
}
