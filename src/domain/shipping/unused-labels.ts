import { refundDuplicate as refundDuplicateJob } from '#jobs/labels.ts';
import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { isFinalFailure, ManualActionRequired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, recordFulfillment } from '../orders/index.ts';
import type { LabelPurchase, Rate, ShippingAccount } from '../ports/shipping-gateway.ts';
import type { Label } from './label.ts';
import { laterIfDenied } from './pause-labels.ts';
import { openAccount } from './shipping-account.ts';

/**
 * Record each purchase that its order does not need, once: a job refunds it and the order is flagged. The order is
 * locked.
 */
export async function recordDuplicates(
  ctx: InTransaction,
  label: Label,
  purchases: readonly LabelPurchase[],
): Promise<void> {
  const { rate } = label;
  const now = ctx.clock.now();
  for (const { id, rateId } of purchases.filter(({ id, state }) => state === 'purchased' && id !== label.purchaseId)) {
    const price = rateId === null || rateId === rate?.id ? rate : null;
    const [row] = await ctx.tx.execute(sql`
      insert into unused_labels (tenant_id, purchase_id, label_id, rate_id, amount_cents, currency, state, found_at,
        charged_at)
      values (${ctx.tenant.id}, ${id}, ${label.id}, ${rateId}, ${price?.amountCents}, ${price?.currency}, 'found',
        ${now}, ${price && now})
      on conflict do nothing returning purchase_id`);
    if (!row) continue;
    enqueue(ctx, refundDuplicateJob, { purchaseId: id });
    ctx.log.error({ label: label.id, purchase: id }, 'second label bought: refunding it');
    await recordFulfillment(ctx, label.orderId, {
      attention: {
        code: 'duplicate_voided',
        detail: 'A second label was bought for this order and is being refunded. Use the first one.',
      },
    });
  }
}

/**
 * Record a purchase that was voided at the provider itself, once. What it cost stays where it is in the journal, though
 * the label may be bought again. There is nothing to acknowledge: the label is flagged.
 */
export async function recordVoidedAtProvider(
  ctx: InTransaction,
  label: Label,
  { id, chargedAt }: { id: string; chargedAt: Date },
): Promise<void> {
  const { rateId, amountCents, rate } = label;
  const now = ctx.clock.now();
  await ctx.tx.execute(sql`
    insert into unused_labels (tenant_id, purchase_id, label_id, rate_id, amount_cents, currency, state, found_at,
      charged_at, refunded_at, acknowledged_at)
    values (${ctx.tenant.id}, ${id}, ${label.id}, ${rateId}, ${amountCents}, ${rate?.currency}, 'voided_at_provider',
      ${now}, ${chargedAt}, ${now}, ${now})
    on conflict do nothing`);
}

/**
 * The provider rejected a refund that it had accepted: the carrier says that the label was used or is too old. Money is
 * at stake, so the order is flagged, once. The order is locked.
 */
export async function recordRejections(
  ctx: InTransaction,
  label: Label,
  purchases: readonly LabelPurchase[],
): Promise<void> {
  for (const { id } of purchases.filter(({ state }) => state === 'refund_rejected')) {
    const unused = await recordRejection(ctx, { purchaseId: id, labelId: label.id, orderId: label.orderId });
    if (unused?.isSecond) continue;
    if (unused || (id === label.purchaseId && label.state !== 'purchased')) {
      if (!unused) label.refundRejectedAt ??= ctx.clock.now();
      await recordFulfillment(ctx, label.orderId, { attention: labelNotRefunded });
    }
  }
}

interface Purchase {
  readonly purchaseId: string;
  readonly labelId: string;
  readonly orderId: string;
}

/**
 * Record once that the refund of an unused label was rejected. The order of a second label is flagged, also where an
 * operator acknowledged it before.
 * @returns `undefined` for a purchase that is none, or whose rejection was recorded before
 */
async function recordRejection(
  ctx: InTransaction,
  { purchaseId, labelId, orderId }: Purchase,
): Promise<{ isSecond: boolean } | undefined> {
  const [unused] = await ctx.tx.execute<{ isSecond: boolean }>(sql`
    update unused_labels set refund_rejected_at = ${ctx.clock.now()},
      state = case state when 'voided_at_provider' then state else 'refund_refused' end,
      acknowledged_at = case state when 'voided_at_provider' then acknowledged_at end
    where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId} and refund_rejected_at is null
    returning state = 'refund_refused' as "isSecond"`);
  if (unused?.isSecond) {
    ctx.log.error({ label: labelId, purchase: purchaseId }, 'refund of a second label rejected');
    await recordFulfillment(ctx, orderId, {
      attention: {
        code: 'duplicate_voided',
        detail:
          'A second label was bought for this order, and the shipping provider rejected its refund. ' +
          'Contact the provider.',
      },
    });
  }
  return unused;
}

/** The attention of an order whose voided label the provider does not refund. */
export const labelNotRefunded = {
  code: 'label_not_refunded',
  detail:
    'The shipping provider does not refund a voided label. ' +
    'Make sure that its parcel is not sent, then contact the provider.',
};

/**
 * Refund a second label. Requesting the refund twice is harmless.
 * @throws ManualActionRequired when the provider rejects the refund
 */
export async function refundDuplicate(ctx: Context, { purchaseId }: { purchaseId: string }): Promise<void> {
  const opened = await openAccount(ctx);
  if (!opened) return;
  try {
    await recordPrice(ctx, opened.account, purchaseId);
    await ctx.ports.shipping.refundPurchase(opened.account, purchaseId, { signal: ctx.signal });
  } catch (error) {
    await laterIfDenied(ctx, opened, error);
    if (!isFinalFailure(error)) throw error;
    const orderNumber = await rejectDuplicate(ctx, purchaseId);
    throw new ManualActionRequired(
      `${orderNumber}: duplicate_voided. The shipping provider does not refund the second label. ` +
        `Ask its support to refund ${purchaseId}.`,
    );
  }
  await completeJob(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update unused_labels
    set state = 'duplicate_voided', refunded_at = ${ctx.clock.now()}, refund_rejected_at = null
    where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId}`),
  );
}

/** A second label that was bought at another rate than the first one costs what that rate says. */
async function recordPrice(ctx: Context, account: ShippingAccount, purchaseId: string): Promise<void> {
  const duplicate = await readOne<{ rateId: string }>(
    ctx,
    sql`
    select rate_id as "rateId" from unused_labels
    where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId} and amount_cents is null and rate_id is not null`,
  );
  if (!duplicate) return;
  const rate = await fetchRate(ctx, account, duplicate.rateId);
  if (!rate) return;
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update unused_labels
    set amount_cents = ${rate.amountCents}, currency = ${rate.currency}, charged_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId}`),
  );
}

/** @returns `undefined` for a rate that the provider does not have any more */
async function fetchRate(ctx: Context, account: ShippingAccount, rateId: string): Promise<Rate | undefined> {
  try {
    return (await ctx.ports.shipping.fetchRate(account, rateId, { signal: ctx.signal })).rate;
  } catch (error) {
    if (isFinalFailure(error)) return undefined;
    throw error;
  }
}

/** @returns the number of the order that the second label was bought for */
async function rejectDuplicate(ctx: Context, purchaseId: string): Promise<string | undefined> {
  const label = await readOne<Purchase & { readonly orderNumber: string }>(
    ctx,
    sql`
    select u.purchase_id as "purchaseId", l.id as "labelId", l.order_id as "orderId", l.order_number as "orderNumber"
    from unused_labels u join labels l on l.tenant_id = u.tenant_id and l.id = u.label_id
    where u.tenant_id = ${ctx.tenant.id} and u.purchase_id = ${purchaseId}`,
  );
  if (!label) return undefined;
  await transact(ctx, async (ctx) => {
    if (await lockOrder(ctx, label.orderId)) await recordRejection(ctx, label);
  });
  return label.orderNumber;
}

/**
 * An operator acknowledged a second label. The order's attention ends once all of its second labels are acknowledged.
 */
export async function acknowledgeDuplicate(
  ctx: Context,
  { purchaseId, orderId }: { purchaseId: string; orderId: string },
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    await ctx.tx.execute(sql`
      update unused_labels set acknowledged_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId} and acknowledged_at is null`);
    const [other] = await ctx.tx.execute(sql`
      select u.purchase_id from unused_labels u join labels l on l.tenant_id = u.tenant_id and l.id = u.label_id
      where u.tenant_id = ${ctx.tenant.id} and l.order_id = ${orderId} and u.acknowledged_at is null limit 1`);
    if (order && !other) await recordFulfillment(ctx, orderId, { resolved: ['duplicate_voided'] });
  });
}
