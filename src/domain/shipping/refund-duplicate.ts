import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { isFinal } from './is-final.ts';
import { laterIfDenied } from './later-if-denied.ts';
import { openAccount } from './open-account.ts';

/**
 * Ask for the price of a second label back. Asking twice is harmless.
 * @throws ManualActionRequired when the provider will not
 */
export async function refundDuplicate(ctx: Context, { purchaseId }: { purchaseId: string }): Promise<void> {
  const opened = await openAccount(ctx);
  if (!opened) return;
  try {
    await ctx.ports.shipping.refundPurchase(opened.account, purchaseId, { signal: ctx.signal });
  } catch (error) {
    await laterIfDenied(ctx, opened, error);
    if (!isFinal(error)) throw error;
    await transact(ctx, (ctx) => ctx.tx.execute(recordState(ctx, purchaseId, 'refund_refused')));
    throw new ManualActionRequired(
      `${await orderNumberOf(ctx, purchaseId)}: duplicate_voided. The parcel provider does not take the second label back. Ask its support for the price of ${purchaseId}.`,
    );
  }
  await completeJob(ctx, (ctx) => ctx.tx.execute(recordState(ctx, purchaseId, 'duplicate_voided')));
}

const recordState = (ctx: Context, purchaseId: string, state: 'duplicate_voided' | 'refund_refused') => sql`
  update duplicate_labels set state = ${state}, settled_at = ${ctx.clock.now()}
  where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId}`;

async function orderNumberOf(ctx: Context, purchaseId: string): Promise<string | undefined> {
  const row = await readOne<{ orderNumber: string }>(
    ctx,
    sql`
    select l.order_number as "orderNumber" from duplicate_labels d
    join labels l on l.tenant_id = d.tenant_id and l.id = d.label_id
    where d.tenant_id = ${ctx.tenant.id} and d.purchase_id = ${purchaseId}`,
  );
  return row?.orderNumber;
}
