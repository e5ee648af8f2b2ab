import { LockMode } from '@mikro-orm/core';
import { lockRow } from '#src/database/rows.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order } from '../orders/index.ts';
import { Label } from './label.ts';

/** The lease of an attempt: no other process changes the label until it expires or is released. */
export interface Lease {
  readonly labelId: string;
  readonly orderId: string;
  readonly token: string;
  /** As it was when this attempt last wrote it. */
  label: Label;
}

/** After how long a label is checked that may have been bought twice, or whose purchase is open. */
export function firstRecheckMs(ctx: Context): number {
  return 5 * ctx.settings.labelLookupGraceMs;
}

/** A lease outlives the longest call that is made under it. */
export function leaseMs(ctx: Context): number {
  return ctx.settings.labelBuyTimeoutMs + seconds(15);
}

/**
 * Change a label under its lease, in one transaction. The order is locked first where it changes too.
 * @throws Snooze when the lease is lost: another attempt continues with the label
 */
export async function underLease<Result>(
  ctx: InTransaction,
  lease: Lease,
  work: (label: Label) => Promise<Result> | Result,
): Promise<Result> {
  const label = await lockLabel(ctx, lease.labelId);
  if (!label || label.leaseToken !== lease.token) throw new Snooze(seconds(1), 'another attempt took over the label');
  label.updatedAt = ctx.clock.now();
  const result = await work(label);
  await ctx.tx.em.flush();
  return result;
}

/**
 * Change the label under its lease and renew the lease.
 * @returns when the lease expires
 */
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

/**
 * Start again: by looking up the purchase where one is open, with the rate that an operator chose, or with a fresh
 * quote.
 */
export function resume(label: Label): void {
  label.tries = 0;
  label.postponedSince = null;
  if (label.buyingSince) return label.moveTo('buying');
  if (label.chosenManually && label.rate) return label.moveTo('rate_chosen');
  label.dropRate();
  label.moveTo('queued');
}
