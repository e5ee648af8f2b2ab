import type { JobDefinition, Period } from '#jobs/lib/define-job.ts';
import { sweepStoreEvents as sweepStoreEventsJob } from '#jobs/payments.ts';
import { asPlatform, completeJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueueFor } from '#src/outbox/enqueue.ts';
import type { Context, PlatformContext } from '../../context.ts';
import type { PaymentEvent } from '../../ports/payment-gateway.ts';
import { wasClosedBefore } from '../../tenants/index.ts';
import { openAccount } from '../accounts/payment-account.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { sessionLifeMs, slowPaymentMs } from '../sessions/payment-session.ts';
import { storeEvents } from './accept-payment-event.ts';
import { recordGap } from './event-gaps.ts';
import { firstRangeMs, nextRangeMs, retainedMs } from './listed-range.ts';

/** Events appear a little out of order, so each sweep overlaps the one before. */
const overlapMs = minutes(5);
/** 2 requests a second are a tenth of what a sandbox allows, for the five minutes between sweeps. */
const pagesMax = 200;
/** Where PostgreSQL's clock was ahead, how far back is listed again: longer than an idle store waits for its sweep. */
const againMs = days(1);
/** A webhook may take this long; an older event that is not stored was never delivered. */
const webhookMs = minutes(2);

/** A store is idle when its provider has sent no event for so long, and no session of it is open. */
const idleAfterMs = days(1);
/** Of so many periods, an idle store is swept in one. */
const idlePeriods = 12;

/** Enqueue the sweep of each store that can sell, spread over the period. */
export async function sweepEvents(ctx: PlatformContext, { period }: { period: number }): Promise<void> {
  const periodMs = ctx.settings.sweepIntervalMs;
  // After an outage no store has received events, and all are behind.
  const isBehind = sql`events_swept_to < ${fromNow(ctx.clock, -2 * idlePeriods * periodMs)}
    or events_listed_to is not null`;
  await enqueueForEachTenant(ctx, sweepStoreEventsJob, period, {
    spreadMs: periodMs,
    onlyWhere: sql`silent_since is not null or ${isBehind} or ${isActive(ctx)}
      or (${period}::bigint + ${placeAmong(idlePeriods)}) % ${idlePeriods} = 0`,
  });
}

/** Whether a session of a store is open, or the provider sent an event lately. */
const isActive = ({ clock }: PlatformContext): Sql => sql`(
  exists (select from payment_sessions s where s.tenant_id = a.tenant_id and s.check_at is not null)
  or exists (
    select from payment_events e
    where e.tenant_id = a.tenant_id and e.received_at > ${fromNow(clock, -idleAfterMs)}))`;

/** So long after a store was closed can one of its checkouts be paid. */
const endsAfterMs = sessionLifeMs + slowPaymentMs;

/** Whether nothing is paid any more in a store. Where it is opened again, the next sweep continues after its last. */
const hasEnded = (ctx: PlatformContext): Sql => sql`(
  ${wasClosedBefore(sql`a.tenant_id`, fromNow(ctx.clock, -endsAfterMs))} and not ${isActive(ctx)}
  and not exists (select from subscriptions s where s.tenant_id = a.tenant_id and s.status <> 'canceled'))`;

/** A number from 0 to below `count` that is always the same for a store. */
const placeAmong = (count: number) => sql`mod(hashtext(a.tenant_id)::bigint + 2147483648, ${count}::bigint)`;

/**
 * Enqueue a job for each store that has an account of its own at the provider and in which something may be paid, spread
 * over a time by a hash of the store: thousands of stores at once would hold up all other work.
 *
 * @param onlyWhere a condition on `payment_accounts a`
 */
export async function enqueueForEachTenant(
  ctx: PlatformContext,
  job: JobDefinition<typeof Period>,
  period: number,
  { spreadMs, onlyWhere = sql`true` }: { readonly spreadMs: number; readonly onlyWhere?: Sql },
): Promise<void> {
  await asPlatform(ctx, 'each store has a provider account of its own', async (ctx) => {
    const tenants = await ctx.tx.execute<{ id: string; delayMs: number }>(sql`
      select tenant_id as id, ${placeAmong(spreadMs)}::int as "delayMs" from payment_accounts a
      where mode = 'direct' and secret_key_sealed is not null and not ${hasEnded(ctx)} and (${onlyWhere})`);
    for (const { id, delayMs } of tenants) enqueueFor(ctx, id, job, { period }, { dueAt: fromNow(ctx.clock, delayMs) });
  });
}

/** Where a sweep continues. A time range that was not listed to its end continues after an event of it. */
interface Cursor {
  readonly sweptTo: Date;
  readonly listedTo: Date | null;
  readonly listedAfter: string | null;
}

/**
 * Store the events of one store that no webhook has delivered. The cursor moves with each page, so a sweep that dies is
 * continued by the next, and a time range with more events than one sweep can list is listed by several.
 */
export async function sweepStoreEvents(ctx: Context): Promise<void> {
  const cursor = await readOne<Cursor>(
    ctx,
    sql`
    select coalesce(events_swept_to, created_at) as "sweptTo", events_listed_to as "listedTo",
      events_listed_after as "listedAfter"
    from payment_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!cursor) return;
  const now = ctx.clock.now();
  const storedFrom = fromNow(ctx.clock, -retainedMs);
  // A time that is yet to come was swept while PostgreSQL's clock was ahead: what came since was not listed.
  const sweptTo = cursor.sweptTo > fromNow(ctx.clock, overlapMs) ? fromNow(ctx.clock, -againMs) : cursor.sweptTo;
  let from = new Date(Math.max(sweptTo.getTime() - overlapMs, storedFrom.getTime()));
  let listed =
    cursor.listedTo && cursor.listedTo > from ? { to: cursor.listedTo, next: cursor.listedAfter } : undefined;
  try {
    const account = await openAccount(ctx);
    let missed = 0;
    let rangeMs = firstRangeMs;
    for (let pages = 0; from < now && pages < pagesMax; pages += 1) {
      const to = listed?.to ?? new Date(Math.min(from.getTime() + rangeMs, now.getTime()));
      const page = await ctx.ports.payments.listEvents(
        account,
        { from, to, ...(listed?.next && { next: listed.next }) },
        ctx.signal,
      );
      // Recorded only after a successful list: while the provider fails, the gap grows with each sweep.
      if (pages === 0 && cursor.sweptTo < storedFrom) await recordGap(ctx, { from: cursor.sweptTo, to: storedFrom });
      missed += await storeMissed(ctx, page.events);
      await moveCursor(ctx, to, page.next);
      rangeMs = nextRangeMs(rangeMs, page.events);
      listed = page.next === null ? undefined : { to, next: page.next };
      if (!listed) from = to;
    }
    await recordSilence(ctx, missed);
  } catch (error) {
    // The next sweep continues where this one ended, so a failing provider or account needs no more than a warning.
    ctx.log.warn({ reason: providerFailureOf(error).message }, 'payment events not swept');
    // The event after which the list continues may be one that the provider no longer has.
    if (listed && error instanceof ProviderError && (error.failure === 'missing' || error.failure === 'refused'))
      await listAgain(ctx);
  }
}

/** @returns how many events concern the store and were not delivered by a webhook in time */
async function storeMissed(ctx: Context, events: readonly PaymentEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const missedBefore = fromNow(ctx.clock, -webhookMs);
  const stored = await storeEvents(ctx, events, 'sweep');
  return stored.filter(({ state, occurredAt }) => state === 'pending' && occurredAt < missedBefore).length;
}

/** @param next where the list of events up to `to` continues; null once it was listed to its end */
async function moveCursor(ctx: Context, to: Date, next: string | null): Promise<void> {
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update payment_accounts set
      events_swept_to = ${next === null ? sql`${to}::timestamptz` : sql`events_swept_to`},
      events_listed_to = ${next === null ? null : to}::timestamptz, events_listed_after = ${next}::text
    where tenant_id = ${ctx.tenant.id}
      and (events_swept_to is null or events_swept_to < ${to} or events_swept_to > ${fromNow(ctx.clock, overlapMs)})`),
  );
}

async function listAgain(ctx: Context): Promise<void> {
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update payment_accounts set events_listed_to = null, events_listed_after = null
    where tenant_id = ${ctx.tenant.id}`),
  );
}

/** After this many sweeps in a row that found undelivered events, webhooks are reported as silent. */
const silentSweeps = 3;

/**
 * Record whether webhooks arrive. The endpoint at the provider may be deleted or disabled; then orders are paid by
 * sweeps, only later. It is logged once, until webhooks arrive again.
 */
async function recordSilence(ctx: Context, missed: number): Promise<void> {
  const now = ctx.clock.now();
  const silence = await completeJob(ctx, async (ctx) => {
    const [row] = await ctx.tx.execute<{ begins: boolean }>(sql`
      with before as (
        select silent_since, sweeps_with_missed from payment_accounts where tenant_id = ${ctx.tenant.id} for update),
      received as (
        select exists (
          select from payment_events where tenant_id = ${ctx.tenant.id} and source = 'webhook'
            and received_at > ${fromNow(ctx.clock, -ctx.settings.sweepIntervalMs)}) as lately),
      counted as (
        select case when ${missed} > 0 then before.sweeps_with_missed + 1
          when received.lately then 0 else before.sweeps_with_missed end as sweeps, before.silent_since
        from before, received)
      update payment_accounts set sweeps_with_missed = counted.sweeps,
        silent_since = case
          when counted.sweeps >= ${silentSweeps} then coalesce(counted.silent_since, ${now}::timestamptz)
          when counted.sweeps = 0 then null else counted.silent_since end
      from counted where tenant_id = ${ctx.tenant.id}
      returning counted.silent_since is null and payment_accounts.silent_since is not null as begins`);
    return row;
  });
  if (!silence?.begins) return;
  ctx.log.error({ code: 'inbound_webhook_silent' }, 'payment webhooks do not arrive; sweeps find the events');
}
