import { LockMode } from '@mikro-orm/core';
import { lockRow, saveRow } from '#src/database/rows.ts';
import { readOne } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order } from '../orders/index.ts';
import { Label } from './label.ts';

/** After how long a label is checked that may have been bought twice, or whose purchase is open. */
export function firstRecheckMs(ctx: Context): number {
  return 5 * ctx.settings.labelLookupGraceMs;
}

/** A lease outlives the longest call that is made under it. */
export function leaseMs(ctx: Context): number {
  return ctx.settings.labelBuyTimeoutMs + seconds(15);
}

/**
 * Write a label that this attempt has read or holds, and has not locked.
 * @throws Snooze when another process has changed it since, or it does not meet the condition
 */
export async function saveHeld(ctx: Context, label: Label, onlyWhere?: Sql): Promise<void> {
  label.updatedAt = ctx.clock.now();
  const isSaved = await saveRow(ctx, label, ['version'], { onlyWhere });
  if (!isSaved) throw new Snooze(seconds(1), 'another attempt took over the label');
}

/** The same, and take its lease, or renew it. @returns when the lease expires */
export async function takeLease(ctx: Context, label: Label, onlyWhere?: Sql): Promise<Date> {
  const heldUntil = fromNow(ctx.clock, leaseMs(ctx));
  label.leaseExpiresAt = heldUntil;
  await saveHeld(ctx, label, onlyWhere);
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
  label.failedAttempts = 0;
  label.postponedSince = null;
  if (label.buyingSince) return label.moveTo('buying');
  if (label.chosenManually && label.rate) return label.moveTo('rate_chosen');
  label.dropRate();
  label.moveTo('queued');
}
