import type { ScheduledJob } from '#jobs/lib/define-job.ts';
import * as jobs from '#jobs/retention.ts';
import { days, hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { replyRetainedMs } from '../idempotency/index.ts';
import { type Retention, removeExpired } from '../remove-expired.ts';

/**
 * How long rows are stored, by the job that deletes them. Analytics and search have more to delete than rows of an age,
 * so theirs stand beside their jobs; rows of a table that is listed nowhere are stored permanently.
 */
export const retentions: ReadonlyMap<ScheduledJob, readonly Retention[]> = new Map([
  [
    jobs.pruneOutbox,
    [
      // A finished job is known for a week, so that the same job is not enqueued again.
      { table: 'outbox', age: 'finished_at', retainedMs: days(7) },
      { table: 'outbox', age: 'failed_at', retainedMs: days(90) },
      {
        table: 'events',
        age: 'created_at',
        // A day longer than their deliveries, which need them.
        retainedMs: days(31),
        only: sql`not exists (
          select from webhook_deliveries d where d.tenant_id = old.tenant_id and d.event_id = old.id)`,
      },
      {
        table: 'audit_log',
        age: 'created_at',
        retainedMs: days(90),
        // Entries of shoppers are numerous. Those of the owner's side are stored permanently.
        only: sql`(old.actor_kind = 'shopper' or old.action = 'billing_portal.opened')`,
      },
      {
        table: 'partner_referrals',
        age: 'last_seen_at',
        retainedMs: days(30),
        // At least as long as their partner's window.
        only: (now) => sql`not exists (
          select from partners p where p.tenant_id = old.tenant_id and p.id = old.partner_id and p.removed_at is null
            and old.last_seen_at + p.window_ms * interval '1 millisecond' > ${now})`,
      },
    ],
  ],
  [
    jobs.pruneBulk,
    [
      {
        table: 'bulk_chunks',
        age: 'created_at',
        // The file of an export is offered for a day after it was written, and may then still be downloaded for a while;
        // that of an import is deleted once it was read.
        retainedMs: days(1),
        only: (now) => sql`not exists (
          select from bulk_operations o where o.tenant_id = old.tenant_id and o.id = old.operation_id
            and (o.state in ('queued', 'running') or o.finished_at > ${new Date(now.getTime() - hours(25))}))`,
      },
      // A change of 200,000 things has a row for each.
      { table: 'bulk_operations', age: 'created_at', retainedMs: days(30), batchMax: 10 },
      { table: 'erasures', age: 'updated_at', retainedMs: days(30) },
    ],
  ],
  [
    jobs.pruneRequests,
    [
      {
        table: 'idempotency_keys',
        age: 'created_at',
        retainedMs: replyRetainedMs,
        // A request that is executed again, after its process died, needs its claim until it ends.
        only: (now) => sql`(old.reply_sealed is not null or old.leased_until <= ${now})`,
      },
    ],
  ],
  [
    jobs.pruneDeliveries,
    // How long a delivery and its attempts can be read and recovered.
    [{ table: 'webhook_deliveries', age: 'created_at', retainedMs: days(30), only: sql`old.state <> 'pending'` }],
  ],
  [
    jobs.pruneCarts,
    [
      { table: 'carts', age: 'expires_at', retainedMs: days(30) },
      { table: 'saved_carts', age: 'expires_at', retainedMs: days(30) },
      // Unsubscribe links work for a year after they were sent.
      { table: 'unsubscribe_links', age: 'created_at', retainedMs: days(365) },
    ],
  ],
  [jobs.pruneCodes, [{ table: 'one_time_passwords', age: 'created_at', retainedMs: days(7) }]],
  [
    jobs.pruneMails,
    [
      {
        table: 'mails',
        age: 'created_at',
        retainedMs: days(90),
        only: sql`old.state not in ('queued', 'sending')`,
      },
    ],
  ],
  [
    jobs.pruneIntegrations,
    [
      { table: 'integration_calls', age: 'received_at', retainedMs: days(30), only: sql`old.state <> 'received'` },
      { table: 'integration_connections', age: 'expires_at', retainedMs: days(30), only: sql`old.received_at is null` },
    ],
  ],
  [
    jobs.pruneSessions,
    [
      { table: 'sign_in_links', age: 'expires_at', retainedMs: days(7) },
      { table: 'staff_links', age: 'expires_at', retainedMs: days(7) },
      { table: 'staff_sessions', age: 'expires_at', retainedMs: days(7) },
      { table: 'sessions', age: 'refresh_expires_at', retainedMs: days(7) },
      // A token exchanged over 30 days ago has expired, so its reuse need not be detected any more.
      { table: 'refresh_tokens', age: 'rotated_at', retainedMs: days(37) },
    ],
  ],
  [jobs.pruneNotifications, [{ table: 'shipping_notifications', age: 'received_at', retainedMs: days(30) }]],
  [
    jobs.pruneEvents,
    [
      {
        table: 'payment_events',
        age: 'received_at',
        // Longer than the 30 days for which the provider lists them, so that a sweep finds none of them new.
        retainedMs: days(40),
        only: sql`old.state <> 'pending'`,
      },
      {
        table: 'payment_sessions',
        age: 'expires_at',
        // As long as a late payment is possible, which can also still claim the released holds.
        retainedMs: days(90),
        only: sql`old.state in ('expired', 'failed') and old.check_at is null`,
      },
      {
        table: 'holds',
        age: 'closed_at',
        retainedMs: days(90),
        // What an oversold order could not get is taken once an operator ships it.
        only: sql`old.state = 'released' and not exists (
          select from orders o where o.tenant_id = old.tenant_id and o.id = old.order_id
            and o.attentions @> '[{"code": "oversold"}]')`,
      },
      {
        table: 'orders',
        age: 'created_at',
        // A checkout that nobody paid is none of the store's accounts.
        retainedMs: days(180),
        only: sql`old.status in ('payment_failed', 'expired', 'canceled') and old.paid_at is null
          and old.imported_at is null and old.attentions = '[]'
          and not exists (
            select from payment_sessions s where s.tenant_id = old.tenant_id and s.order_id = old.id)
          and not exists (
            select from subscriptions s where s.tenant_id = old.tenant_id and s.order_id = old.id)`,
      },
      { table: 'payment_event_gaps', age: 'finished_at', retainedMs: days(90) },
      { table: 'payment_drift_reports', age: 'created_at', retainedMs: days(90) },
      {
        table: 'payment_secret_rotations',
        age: 'created_at',
        retainedMs: days(90),
        only: sql`old.state <> 'confirmed'`,
      },
    ],
  ],
]);

/**
 * Delete the rows, of all stores, whose retention this job ends.
 * @throws Snooze when rows are left
 */
export async function prune(ctx: PlatformContext, job: ScheduledJob): Promise<void> {
  const expiring = retentions.get(job);
  if (!expiring) throw new TypeError(`${job.name} has no retention.`);
  await removeExpired(ctx, expiring);
}
