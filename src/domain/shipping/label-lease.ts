import { LockMode } from '@mikro-orm/core';
import { lockRow } from '#src/database/lock-row.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order } from '../orders/index.ts';
import { Label } from './label.ts';

/** What a run holds while it works on a label: nobody else does, until it expires or is given back. */
export interface Lease {
  readonly labelId: string;
  readonly orderId: string;
  readonly token: string;
  /** As it was when this run last wrote it. */
  label: Label;
}

/** When a label is looked at again that may have been bought twice, or whose purchase is open: ten minutes later. */
export function firstRecheckMs(ctx: Context): number {
  return 5 * ctx.settings.labelLookupGraceMs;
}

/** A lease outlives the longest call that is made under it. */
export function leaseMs(ctx: Context): number {
  return ctx.settings.labelBuyTimeoutMs + seconds(15);
}

/**
 * Change a label under its lease, in one transaction. The order is locked first where it changes too.
 * @throws Snooze when the lease is lost: another run goes on with the label
 */
export async function underLease<Result>(
  ctx: InTransaction,
  lease: Lease,
  work: (label: Label) => Promise<Result> | Result,
): Promise<Result> {
  const label = await lockLabel(ctx, lease.labelId);
  if (!label || label.leaseToken !== lease.token) throw new Snooze(seconds(1), 'another run took the label over');
  label.updatedAt = ctx.clock.now();
  const result = await work(label);
  await ctx.tx.em.flush();
  return result;
}

/** One step of the label, written down under the lease, which begins anew. Answers until when it is held. */
export async function step(ctx: Context, lease: Lease, change: (label: Label) => void): Promise<Date> {
  const heldUntil = fromNow(ctx.clock, leaseMs(ctx));
  await transact(ctx, (ctx) =>
    underLease(ctx, lease, (label) => {
      change(label);
      label.hold(lease.token, heldUntil);
      lease.label = label;
    }),
  );
  return heldUntil;
}

export async function lockLabel(ctx: InTransaction, id: string): Promise<Label | undefined> {
  return lockRow(ctx, Label, id);
}

/** Which order a label is for: read first, because the order is locked first. */
export async function orderOfLabel(ctx: Context, labelId: string): Promise<string | undefined> {
  const row = await readOne<{ orderId: string }>(
    ctx,
    sql`
    select order_id as "orderId" from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`,
  );
  return row?.orderId;
}

/** An order and its live label, locked in this order, as every transaction that changes both must. */
export async function lockOrderAndLabel(
  ctx: InTransaction,
  orderId: string,
): Promise<{ order: Order; label: Label | undefined } | undefined> {
  const order = await lockOrder(ctx, orderId);
  if (!order) return undefined;
  const label = await ctx.tx.em.findOne(
    Label,
    { tenantId: ctx.tenant.id, orderId, state: { $ne: 'voided' } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  return { order, label: label ?? undefined };
}

/** Begin again: with the look-up where a purchase is open, with a person's own rate, or else with a fresh quote. */
export function resume(label: Label): void {
  label.tries = 0;
  label.postponedSince = null;
  if (label.buyingSince) return label.moveTo('buying');
  if (label.chosenManually && label.rate) return label.moveTo('rate_chosen');
  label.dropRate();
  label.moveTo('queued');
}
