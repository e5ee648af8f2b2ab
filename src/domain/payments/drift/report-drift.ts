import { reportStoreDrift as reportStoreDriftJob } from '#jobs/payments.ts';
import { transact } from '#src/database/transact.ts';
import { fromNow, type TimeRange } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import type { Context, PlatformContext } from '../../context.ts';
import { type Attention, lockOrder } from '../../orders/index.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { openAccount } from '../accounts/payment-account.ts';
import { enqueueForEachTenant } from '../events/sweep-events.ts';
import { flagAttention } from '../orders.ts';
import { applyCurrent } from '../snapshots/apply-snapshot.ts';
import { compareRenewals, type RenewalDrift } from './compare-renewals.ts';
import { compareSessions, type SessionDrift } from './compare-sessions.ts';
import { comparedTo, type Drift, recordDrift } from './drift-reports.ts';

/** Two days at least, so that what was under way a day ago is compared again; the last hour may still be under way. */
const fromMs = hours(49);
const toMs = hours(1);

const missingPayment: Attention = {
  code: 'payment_missing',
  detail: 'This order is marked as paid, but the payment provider has no such payment.',
};

const noRenewals: RenewalDrift = { unmade: [], unpaidThere: [] };

/** The comparisons of all stores are spread over this time. */
const spreadMs = hours(6);

/** Enqueue the daily comparison of each store. */
export async function reportDrift(ctx: PlatformContext, { period }: { period: number }): Promise<void> {
  await enqueueForEachTenant(ctx, reportStoreDriftJob, period, { spreadMs });
}

/**
 * Compare the payments of one store at its provider with its paid orders, both ways, from where the last comparison
 * ended. An order that was paid at the provider only is paid here at once; one that is paid here only is flagged.
 * Either is a fault of this service, so it is logged as an error.
 */
export async function reportStoreDrift(ctx: Context): Promise<Drift> {
  const account = await openAccount(ctx);
  const usual = fromNow(ctx.clock, -fromMs);
  const last = await comparedTo(ctx);
  const end = fromNow(ctx.clock, -toMs);
  const start = last && last < usual ? last : usual;
  const found: Drift[] = [];
  for (let from = start; from < end; ) {
    const to = new Date(Math.min(from.getTime() + fromMs, end.getTime()));
    // All renewals at once: an invoice is collected for weeks, so each time range would list the same ones.
    const renewals = from === start ? await compareRenewals(ctx, account, { from, to: end }) : noRenewals;
    found.push(
      await recordAndRepair(ctx, account, { from, to }, await compareSessions(ctx, account, { from, to }), renewals),
    );
    from = to;
  }
  const drift = {
    unpaidHere: found.flatMap(({ unpaidHere }) => unpaidHere),
    unpaidThere: found.flatMap(({ unpaidThere }) => unpaidThere),
    unmadeRenewals: found.flatMap(({ unmadeRenewals }) => unmadeRenewals),
  };
  const isAny = Object.values(drift).some((ids) => ids.length > 0);
  if (isAny) ctx.log.error({ code: 'payment_drift', ...drift }, 'orders and payments did not agree');
  return drift;
}

/** Store what was found, and repair what can be repaired. */
async function recordAndRepair(
  ctx: Context,
  account: PaymentAccount,
  range: TimeRange,
  sessions: SessionDrift,
  renewals: RenewalDrift,
): Promise<Drift> {
  const drift = {
    unpaidHere: [...sessions.unpaidHere.keys()],
    unpaidThere: [...sessions.unpaidThere, ...renewals.unpaidThere],
    unmadeRenewals: renewals.unmade,
  };
  // Stored first, because a repeated job would no longer find what is repaired below.
  await recordDrift(ctx, range, drift);
  for (const sessionId of sessions.unpaidHere.values()) await applyCurrent(ctx, account, 'session', sessionId);
  for (const invoiceId of drift.unmadeRenewals) await applyCurrent(ctx, account, 'invoice', invoiceId);
  for (const orderId of drift.unpaidThere) await flagMissingPayment(ctx, orderId);
  return drift;
}

async function flagMissingPayment(ctx: Context, orderId: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order) await flagAttention(ctx, order, missingPayment);
  });
}
