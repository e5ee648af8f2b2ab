import { type QueueName, queueNames } from '#jobs/queues.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type JobState, readJobStates } from '#src/outbox/queue-states.ts';
import { type Backlog, readBacklog } from '../analytics/index.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { type AttentionReason, attentionOfAllStores } from './attention-by-reason.ts';

/** The state of every queue, what waits for other systems, and what needs attention, of all stores together. */
export interface Operations {
  readonly at: Date;
  /** Whether PostgreSQL accepts changes: some providers stop it when the disk is full. */
  readonly acceptsChanges: boolean;
  /** Every queue there is, busy or not. */
  readonly queues: readonly QueueState[];
  /** Since when the oldest job is due that no relay has moved to its queue, although there is room. */
  readonly oldestUnrelayedAt: Date | null;
  readonly reconcileLag: ReconcileLag;
  /** Label purchases whose outcome is unknown and that no attempt holds. */
  readonly unknownLabels: Waiting;
  /** Webhook deliveries that are due. */
  readonly deliveries: Waiting;
  /** Endpoints that are paused because they did not respond. */
  readonly pausedEndpoints: number;
  readonly analytics: Backlog;
  /** The most severe kinds first. Empty when nothing needs attention. */
  readonly attention: readonly AttentionReason[];
}

export interface QueueState {
  readonly queue: QueueName;
  readonly due: number;
  readonly oldestDueAt: Date | null;
  readonly later: number;
  readonly failed: number;
  /** Its jobs that have work. */
  readonly jobs: readonly JobState[];
}

export interface Waiting {
  readonly count: number;
  readonly oldestAt: Date | null;
}

/** The time from a payment event at the provider until it was applied here, of recent events. */
export interface ReconcileLag {
  readonly count: number;
  readonly medianSeconds: number;
  readonly p95Seconds: number;
  readonly maxSeconds: number;
}

const lagWindowMs = minutes(10);

/** Read the state of operations. Every statement reads open rows only, so its cost does not grow with history. */
export async function readOperations(ctx: PlatformContext): Promise<Operations> {
  const analytics = await readBacklog(ctx);
  return asPlatform(ctx, 'operators see the state of every store', async (ctx) => {
    const jobs = await readJobStates(ctx.tx.execute, ctx.clock.now());
    return {
      at: ctx.clock.now(),
      queues: queueNames.map((queue) =>
        stateOf(
          queue,
          jobs.filter((job) => job.queue === queue),
        ),
      ),
      oldestUnrelayedAt: earliest(jobs.map(({ oldestUnrelayedAt }) => oldestUnrelayedAt)),
      reconcileLag: await readReconcileLag(ctx),
      ...(await readOutside(ctx)),
      analytics,
      attention: await ctx.tx.execute<AttentionReason>(attentionOfAllStores()),
    };
  });
}

function stateOf(queue: QueueName, jobs: readonly JobState[]): QueueState {
  const sum = (name: 'due' | 'later' | 'failed') => jobs.reduce((total, job) => total + job[name], 0);
  const oldestDueAt = earliest(jobs.map((job) => job.oldestDueAt));
  return { queue, due: sum('due'), oldestDueAt, later: sum('later'), failed: sum('failed'), jobs };
}

function earliest(moments: readonly (Date | null)[]): Date | null {
  return moments.reduce((first, moment) => (moment && (!first || moment < first) ? moment : first), null);
}

async function readReconcileLag(ctx: InTransaction<PlatformContext>): Promise<ReconcileLag> {
  const [lag] = await ctx.tx.execute<ReconcileLag>(sql`
    select count(*)::int as count,
      coalesce(percentile_cont(0.5) within group (order by lag), 0)::float8 as "medianSeconds",
      coalesce(percentile_cont(0.95) within group (order by lag), 0)::float8 as "p95Seconds",
      coalesce(max(lag), 0)::float8 as "maxSeconds"
    from (
      select greatest(extract(epoch from settled_at - occurred_at), 0) as lag from payment_events
      where received_at > ${fromNow(ctx.clock, -lagWindowMs)} and state = 'applied') as applied`);
  return lag ?? { count: 0, medianSeconds: 0, p95Seconds: 0, maxSeconds: 0 };
}

/** A call in progress holds its label's lease. A purchase without a lease has no known outcome. */
async function readOutside(
  ctx: InTransaction<PlatformContext>,
): Promise<Pick<Operations, 'acceptsChanges' | 'unknownLabels' | 'deliveries' | 'pausedEndpoints'>> {
  const now = ctx.clock.now();
  const [found] = await ctx.tx.execute<{
    labels: number;
    labelsAt: Date | null;
    deliveries: number;
    deliveriesAt: Date | null;
    paused: number;
    acceptsChanges: boolean;
  }>(sql`
    select current_setting('transaction_read_only') = 'off' as "acceptsChanges",
      labels.count as labels, labels.since as "labelsAt", deliveries.count as deliveries,
      deliveries.since as "deliveriesAt", paused.count as paused
    from (select count(*)::int, min(buying_since) as since from labels
        where buying_since is not null and (lease_expires_at is null or lease_expires_at <= ${now})) as labels,
      (select count(*)::int, min(next_attempt_at) as since from webhook_deliveries
        where state = 'pending' and next_attempt_at <= ${now}) as deliveries,
      (select count(*)::int from webhook_endpoints
        where disabled_at is null and breaker_open_until > ${now}) as paused`);
  return {
    acceptsChanges: found?.acceptsChanges ?? false,
    unknownLabels: { count: found?.labels ?? 0, oldestAt: found?.labelsAt ?? null },
    deliveries: { count: found?.deliveries ?? 0, oldestAt: found?.deliveriesAt ?? null },
    pausedEndpoints: found?.paused ?? 0,
  };
}
