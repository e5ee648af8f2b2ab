import { Migration } from '@mikro-orm/migrations';

/** Whose subscriptions a session would begin, and to what: of those that can be paid no two are for the same. */
export class SubscribingSessions extends Migration {
  override up(): void {
    this.addSql(`
      alter table payment_sessions add column subscriber text, add column subscribes text[];
      create index payment_sessions_subscribing on payment_sessions (tenant_id, subscriber)
        where state in ('creating', 'open') and superseded_at is null and subscriber is not null;
    `);
  }
}
