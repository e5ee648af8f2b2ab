import { sweepStoreEvents as sweepStoreEventsJob } from '#jobs/payments.ts';
import { asPlatform, completeJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, PlatformContext } from '../../context.ts';
import type { PaymentEvent } from '../../ports/payment-gateway.ts';
import { openAccount } from '../accounts/open-account.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { storeEvents } from './accept-payment-event.ts';
import { recordGap } from './event-gaps.ts';

/** The provider forgets events after 30 days. */
const retainedMs = days(30);
/** Events appear a little out of order, so each sweep looks back over the end of the one before. */
const overlapMs = minutes(5);
/** One request's stretch of time: what comes between two pages stays small. */
const rangeMs = hours(1);
/** 2 requests a second are a tenth of what a sandbox allows, for the five minutes between sweeps. */
const pagesMax = 200;
/** A webhook may take this long; what is older and new to us was never brought. */
const webhookMs = minutes(2);

/** Promise each store that can sell a look through its provider's events. */
export async function sweepEvents(ctx: PlatformContext, { period }: { period: number }): Promise<void> {
  await enqueueForEachTenant(ctx, (ctx) => enqueue(ctx, sweepStoreEventsJob, { period }));
}

/** Promise something for each store that has an account of its own at the provider. */
export async function enqueueForEachTenant(
  ctx: PlatformContext,
  enqueueFor: (ctx: Parameters<typeof enqueue>[0]) => void,
): Promise<void> {
  await asPlatform(ctx, 'each store has a provider account of its own', async (ctx) => {
    const tenants = await ctx.tx.execute<{ id: string }>(sql`
      select tenant_id as id from payment_accounts where mode = 'direct' and secret_key_sealed is not null`);
    for (const tenant of tenants) enqueueFor({ ...ctx, tenant });
  });
}

/** Where a sweep goes on. A stretch of time that was not listed to its end goes on after an event of it. */
interface Cursor {
  readonly sweptTo: Date;
  readonly listedTo: Date | null;
  readonly listedAfter: string | null;
}

/**
 * Take in the events of one store that no webhook has brought. The cursor moves with each page, so a sweep that dies goes
 * on where it was, and a stretch of time with more events than one run can list is listed by several.
 */
export async function sweepStoreEvents(ctx: Context): Promise<void> {
  const cursor = await readOne<Cursor>(
    ctx,
    sql`
    select coalesce(events_swept_to, created_at) as "sweptTo", events_listed_to as "listedTo", events_listed_after as "listedAfter"
    from payment_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!cursor) return;
  const now = ctx.clock.now();
  const storedFrom = fromNow(ctx.clock, -retainedMs);
  let from = new Date(Math.max(cursor.sweptTo.getTime() - overlapMs, storedFrom.getTime()));
  let listed =
    cursor.listedTo && cursor.listedTo > from ? { to: cursor.listedTo, next: cursor.listedAfter } : undefined;
  try {
    const account = await openAccount(ctx);
    let missed = 0;
    for (let pages = 0; from < now && pages < pagesMax; pages += 1) {
      const to = listed?.to ?? new Date(Math.min(from.getTime() + rangeMs, now.getTime()));
      const page = await ctx.ports.payments.listEvents(
        account,
        { from, to, ...(listed?.next && { next: listed.next }) },
        ctx.signal,
      );
      // Only now: until the provider answers, what it forgets grows with each sweep.
      if (pages === 0 && cursor.sweptTo < storedFrom) await recordGap(ctx, { from: cursor.sweptTo, to: storedFrom });
      missed += await storeMissed(ctx, page.events);
      await moveCursor(ctx, to, page.next);
      listed = page.next === null ? undefined : { to, next: page.next };
      if (!listed) from = to;
    }
    await recordSilence(ctx, missed);
  } catch (error) {
    // The next sweep begins where this one was: a provider that is away, or an account that does not open, is no news.
    ctx.log.warn({ reason: providerFailureOf(error).message }, 'payment events not swept');
    // The event after which the list goes on may be one that the provider has forgotten.
    if (listed && error instanceof ProviderError && (error.failure === 'missing' || error.failure === 'refused'))
      await listAgain(ctx);
  }
}

/** Returns how many concern the store and were not brought by a webhook in time. */
async function storeMissed(ctx: Context, events: readonly PaymentEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const missedBefore = fromNow(ctx.clock, -webhookMs);
  const stored = await storeEvents(ctx, events, 'sweep');
  return stored.filter(({ state, occurredAt }) => state === 'pending' && occurredAt < missedBefore).length;
}

/** `next`: where the list of events up to then goes on; null once it was listed to its end. */
async function moveCursor(ctx: Context, to: Date, next: string | null): Promise<void> {
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update payment_accounts set
      events_swept_to = ${next === null ? sql`${to}::timestamptz` : sql`events_swept_to`},
      events_listed_to = ${next === null ? null : to}::timestamptz, events_listed_after = ${next}::text
    where tenant_id = ${ctx.tenant.id} and (events_swept_to is null or events_swept_to < ${to})`),
  );
}

async function listAgain(ctx: Context): Promise<void> {
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update payment_accounts set events_listed_to = null, events_listed_after = null where tenant_id = ${ctx.tenant.id}`),
  );
}

/** Sweeps in a row that found what webhooks never brought, before somebody is told. */
const silentSweeps = 3;

/** The endpoint at the provider may be gone or disabled: sales go on, only later. Said once, until webhooks come again. */
async function recordSilence(ctx: Context, missed: number): Promise<void> {
  const now = ctx.clock.now();
  const silence = await completeJob(ctx, async (ctx) => {
    const [row] = await ctx.tx.execute<{ begins: boolean }>(sql`
      with before as (
        select silent_since, sweeps_with_missed from payment_accounts where tenant_id = ${ctx.tenant.id} for update),
      heard as (
        select exists (
          select from payment_events where tenant_id = ${ctx.tenant.id} and source = 'webhook'
            and received_at > ${fromNow(ctx.clock, -ctx.settings.sweepIntervalMs)}) as lately),
      judged as (
        select case when ${missed} > 0 then before.sweeps_with_missed + 1
          when heard.lately then 0 else before.sweeps_with_missed end as sweeps, before.silent_since
        from before, heard)
      update payment_accounts set sweeps_with_missed = judged.sweeps,
        silent_since = case when judged.sweeps >= ${silentSweeps} then coalesce(judged.silent_since, ${now}::timestamptz)
          when judged.sweeps = 0 then null else judged.silent_since end
      from judged where tenant_id = ${ctx.tenant.id}
      returning judged.silent_since is null and payment_accounts.silent_since is not null as begins`);
    return row;
  });
  if (!silence?.begins) return;
  ctx.log.error({ code: 'inbound_webhook_silent' }, 'payment webhooks do not arrive; sweeps bring the events');
}
