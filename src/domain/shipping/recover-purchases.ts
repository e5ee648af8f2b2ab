import { read, transact } from '#src/database/transact.ts';
import { minutes } from '#src/lib/duration.ts';
import { found } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { dryRunTransaction } from '../dry-run-transaction.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { type Marker, readMarker } from './label.ts';
import { lockOrderAndLabel } from './label-lease.ts';
import { recordPurchase } from './record-outcome.ts';
import { type OpenedAccount, openAccount } from './shipping-account.ts';

/** A purchase at the provider that no label had. */
export interface RecoveredPurchase {
  readonly purchaseId: string;
  readonly orderNumber: string;
  readonly trackingNumber: string | null;
  /**
   *   recorded       it is its order's label now; in a dry run, it would be
   *   not_needed     its order has another label, or needs none
   *   unknown_order  there is no such order, or it was not paid
   *   in_progress    it is being bought right now
   */
  readonly result: 'recorded' | 'not_needed' | 'unknown_order' | 'in_progress';
}

/**
 * Record what was bought for labels that do not know of it, because a backup was restored since. Labels are recognized
 * by the marker of their purchase: its label, or where that was written after the backup, its order. Nothing is bought
 * or refunded. Call it before any worker starts: a label that is bought again is a second one.
 *
 * @throws DomainError not_found where the store has no shipping account; ProviderError
 */
export async function recoverPurchases(
  ctx: Context,
  { since, dryRun }: { since: Date; dryRun: boolean },
): Promise<RecoveredPurchase[]> {
  const opened = found(await openAccount(ctx), 'shipping account');
  const listed = await ctx.ports.shipping.listPurchases(opened.account, since, { signal: ctx.signal });
  const recovered: RecoveredPurchase[] = [];
  const recorded = new Set<string>();
  // The newest first: those before it were voided, or are second ones.
  for (const purchase of await withoutLabel(ctx, listed)) {
    const named = readMarker(purchase.marker);
    if (named?.tenantId !== ctx.tenant.id) continue;
    const { orderNumber } = named;
    const result = recorded.has(orderNumber) ? 'not_needed' : await recover(ctx, opened, { purchase, named, dryRun });
    if (result === 'recorded') recorded.add(orderNumber);
    recovered.push({ purchaseId: purchase.id, orderNumber, trackingNumber: purchase.trackingNumber, result });
  }
  return recovered;
}

/** Those of the purchases that can be used, and that neither a label has nor was found to be a second one. */
async function withoutLabel(ctx: Context, purchases: readonly LabelPurchase[]): Promise<LabelPurchase[]> {
  const usable = purchases.filter(({ state }) => state === 'purchased' || state === 'undecided');
  const known = await read<{ id: string }>(
    ctx,
    sql`
    select purchase_id as id from labels
    where tenant_id = ${ctx.tenant.id} and purchase_id = any(${usable.map(({ id }) => id)})
    union all
    select purchase_id from unused_labels
    where tenant_id = ${ctx.tenant.id} and purchase_id = any(${usable.map(({ id }) => id)})`,
  );
  const ids = new Set(known.map(({ id }) => id));
  return usable.filter(({ id }) => !ids.has(id));
}

interface Found {
  readonly purchase: LabelPurchase;
  readonly named: Marker;
  readonly dryRun: boolean;
}

async function recover(
  ctx: Context,
  { account }: OpenedAccount,
  { purchase, named, dryRun }: Found,
): Promise<RecoveredPurchase['result']> {
  const { rateId, state } = purchase;
  const order = await findOrder(ctx, purchase, named);
  if (!order?.isPaid) return 'unknown_order';
  if (state === 'undecided' || rateId === null) return 'in_progress';
  const { rate } = await ctx.ports.shipping.fetchRate(account, rateId, { signal: ctx.signal });
  return dryRunTransaction<RecoveredPurchase['result']>(dryRun, (finish) =>
    transact(ctx, async (ctx) => {
      const locked = await lockOrderAndLabel(ctx, order.id);
      const label = locked?.label;
      if (!label || label.isFinished || (order.hasNamedLabel && label.id !== named.labelId))
        return finish('not_needed');
      if (label.isHeldByAnother(ctx.clock.now())) return finish('in_progress');
      label.recoverAt(rate);
      await recordPurchase(ctx, locked.order, label, purchase);
      label.updatedAt = ctx.clock.now();
      await recordAudit(ctx, { action: 'label.recovered', subjectKind: 'order', subjectId: order.id });
      await ctx.tx.em.flush();
      return finish('recorded');
    }),
  );
}

/** How far the provider's clock may be behind. */
const clockSkewMs = minutes(5);

interface NamedOrder {
  readonly id: string;
  readonly isPaid: boolean;
  /** Whether the label that the purchase names is known. */
  readonly hasNamedLabel: boolean;
}

/** The order of a label, or the only one with its number that is older than its purchase. */
async function findOrder(
  ctx: Context,
  { createdAt }: LabelPurchase,
  { labelId, orderNumber }: Found['named'],
): Promise<NamedOrder | undefined> {
  const madeBefore = new Date((createdAt ?? ctx.clock.now()).getTime() + clockSkewMs);
  const named = sql`select order_id from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`;
  const [order, another] = await read<NamedOrder>(
    ctx,
    sql`
    select id, paid_at is not null as "isPaid", exists (${named}) as "hasNamedLabel" from orders
    where tenant_id = ${ctx.tenant.id} and (
      id in (${named}) or (
        order_number = ${orderNumber} and created_at <= ${madeBefore} and not exists (${named})))`,
  );
  return another ? undefined : order;
}
