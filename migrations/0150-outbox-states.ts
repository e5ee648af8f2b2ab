import { Migration } from '@mikro-orm/migrations';

/**
 * An outbox row is exactly one of due, relayed, finished or failed: of the times that say when it is relayed next, was
 * finished or failed, one is set, and `relays` tells due from relayed. A row with none of them was relayed by nothing:
 * it is due again. `manual` says that an operator retried it after it had failed.
 */
export class OutboxStates extends Migration {
  override up(): void {
    this.addSql(`
      alter table outbox add column manual boolean not null default false;
      update outbox set
        failed_at = case when finished_at is null then failed_at end,
        relays = case when coalesce(next_relay_at, finished_at, failed_at) is null then 0 else relays end,
        next_relay_at = case when finished_at is null and failed_at is null then coalesce(next_relay_at, now()) end
      where num_nonnulls(next_relay_at, finished_at, failed_at) <> 1;
      alter table outbox add constraint outbox_state
        check (num_nonnulls(next_relay_at, finished_at, failed_at) = 1 and relays >= 0);
    `);
  }
}
