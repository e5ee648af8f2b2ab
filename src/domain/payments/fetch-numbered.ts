import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import type { PaymentSnapshot } from '../ports/payment-snapshots.ts';
import type { FetchedSubscription } from '../subscriptions/index.ts';

/**
 * A payment, with the number that its request took before it was sent. Of two snapshots the one with the higher number
 * shows every change that was made before the other was requested: clocks, which differ between processes, are not
 * compared. A change that a dropped snapshot alone would show is fetched again for its own event.
 */
export interface FetchedPayment extends PaymentSnapshot {
  readonly snapshotNumber: number;
}

/** @throws ProviderError */
export async function fetchSubscription(
  ctx: Context,
  account: PaymentAccount,
  id: string,
): Promise<FetchedSubscription> {
  const snapshotNumber = await takeSnapshotNumber(ctx);
  return { ...(await ctx.ports.payments.fetchSubscription(account, id, ctx.signal)), snapshotNumber };
}

/** @throws ProviderError */
export async function fetchPayment(ctx: Context, account: PaymentAccount, reference: string): Promise<FetchedPayment> {
  const snapshotNumber = await takeSnapshotNumber(ctx);
  return { ...(await ctx.ports.payments.fetchPayment(account, reference, ctx.signal)), snapshotNumber };
}

async function takeSnapshotNumber(ctx: Context): Promise<number> {
  const row = await readOne<{ number: number }>(ctx, sql`select nextval('payment_snapshot_numbers')::int8 as number`);
  if (!row) throw new TypeError('The sequence returned no number.');
  return row.number;
}
