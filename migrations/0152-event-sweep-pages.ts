import { Migration } from '@mikro-orm/migrations';

/** How far a sweep came within a stretch of time that has more events than one run can list: up to when it goes, and the last event listed. */
export class EventSweepPages extends Migration {
  override up(): void {
    this.addSql(`
      alter table payment_accounts add column events_listed_to timestamptz, add column events_listed_after text,
        add constraint payment_accounts_listed check ((events_listed_to is null) = (events_listed_after is null));
    `);
  }
}
