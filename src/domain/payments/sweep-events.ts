import { sweepStoreEvents as sweepStore } from '#jobs/payments.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, PlatformContext } from '../context.ts';
import { asPlatform, conclude, readOne, transact } from '../database.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { storeEvents } from './accept-payment-event.ts';
import { recordGap } from './event-gaps.ts';
import { openAccount } from './open-account.ts';
import { troubleOf } from './trouble.ts';

/** The provider forgets events after 30 days. */
const keptMs = days(30);
/** Events appear a little out of order, so each sweep looks back over the end of the one before. */
const overlapMs = minutes(5);
/** One request's stretch of time: what comes between two pages stays small. */
const stretchMs = hours(1);
/** 2 requests a second are a tenth of what a sandbox allows, for the five minutes between sweeps. */
const pagesMax = 200;
/** A webhook may take this long; what is older and new to us was never brought. */
const webhookMs = minutes(2);
/** Sweeps in a row that found what webhooks never brought, before somebody is told. */
const silentSweeps = 3;

/** Promise each store that can sell a look through its provider's events. */
export async function sweepEvents(ctx: PlatformContext, { slot }: { slot: number }): Promise<void> {
  await promiseEachStore(ctx, (ctx) => enqueue(ctx, sweepStore, { slot }));
}

/** Promise something for each store that has an account of its own at the provider. */
export async function promiseEachStore(
  ctx: PlatformContext,
  promise: (ctx: Parameters<typeof enqueue>[0]) => void,
): Promise<void> {
  await asPlatform(ctx, 'each store has a provider account of its own', async (ctx) => {
    const stores = await ctx.tx.run<{ id: string }>(sql`
      select tenant_id as id from payment_accounts where mode = 'direct' and secret_key_sealed is not null`);
    for (const tenant of stores) promise({ ...ctx, tenant });
  });
}

/**
 * Take in the events of one store that no webhook has brought. The cursor moves with each stretch of time that was
 * looked through to its end, so a sweep that dies goes on where it was.
 */
export async function sweepStoreEvents(ctx: Context): Promise<void> {
  const cursor = await readOne<{ sweptTo: Date }>(ctx, sql`
    select coalesce(events_swept_to, created_at) as "sweptTo" from payment_accounts where tenant_id = ${ctx.tenant.id}`);
  if (!cursor) return;
  const now = ctx.clock.now().getTime();
  const keptFrom = new Date(now - keptMs);
  let from = Math.max(cursor.sweptTo.getTime() - overlapMs, now - keptMs);
  try {
    const account = await openAccount(ctx);
    let missed = 0;
    for (let pages = 0; from < now && pages < pagesMax; ) {
      const to = Math.min(from + stretchMs, now);
      const swept = await sweepStretch(ctx, account, new Date(from), new Date(to));
      // Only now: until the provider answers, what it forgets grows with each sweep.
      if (pages === 0 && cursor.sweptTo < keptFrom) await recordGap(ctx, { from: cursor.sweptTo, to: keptFrom });
      await moveCursor(ctx, new Date(to));
      missed += swept.missed;
      pages += swept.pages;
      from = to;
    }
    await judgeSilence(ctx, missed);
  } catch (error) {
    // The next sweep begins where this one was: a provider that is away, or an account that does not open, is no news.
    ctx.log.warn({ reason: troubleOf(error).message }, 'payment events not swept');
  }
}

interface Swept {
  readonly pages: number;
  /** Events that concern the shop and that no webhook brought in time. */
  readonly missed: number;
}

async function sweepStretch(ctx: Context, account: PaymentAccount, from: Date, to: Date): Promise<Swept> {
  const missedBefore = fromNow(ctx.clock, -webhookMs);
  let next: string | null | undefined;
  let pages = 0;
  let missed = 0;
  do {
    const page = await ctx.ports.payments.listEvents(account, { from, to, ...(next && { next }) }, ctx.signal);
    if (page.events.length > 0) {
      const stored = await storeEvents(ctx, page.events, 'sweep');
      missed += stored.filter(({ state, occurredAt }) => state === 'pending' && occurredAt < missedBefore).length;
    }
    next = page.next;
    pages += 1;
  } while (next !== null);
  return { pages, missed };
}

async function moveCursor(ctx: Context, to: Date): Promise<void> {
  await transact(ctx, (ctx) => ctx.tx.run(sql`
    update payment_accounts set events_swept_to = ${to}
    where tenant_id = ${ctx.tenant.id} and (events_swept_to is null or events_swept_to < ${to})`));
}

/** The endpoint at the provider may be gone or disabled: sales go on, only later. Said once, until webhooks come again. */
async function judgeSilence(ctx: Context, missed: number): Promise<void> {
  const now = ctx.clock.now();
  const silence = await conclude(ctx, async (ctx) => {
    const [row] = await ctx.tx.run<{ begins: boolean }>(sql`
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
