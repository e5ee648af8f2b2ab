import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { conclude, transact } from '../database.ts';
import { openAccount } from './open-account.ts';

/**
 * Ask for the price of a second label back. Asking twice is harmless.
 * @throws ProviderError when the provider will not: the job stays on the board
 */
export async function refundDuplicate(ctx: Context, { purchaseId }: { purchaseId: string }): Promise<void> {
  const opened = await openAccount(ctx);
  if (!opened) return;
  try {
    await ctx.ports.shipping.refundPurchase(opened.account, purchaseId, { signal: ctx.signal });
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'refused') {
      await transact(ctx, (ctx) => ctx.tx.run(settled(ctx, purchaseId, 'refund_refused')));
    }
    throw error;
  }
  await conclude(ctx, (ctx) => ctx.tx.run(settled(ctx, purchaseId, 'duplicate_voided')));
}

const settled = (ctx: Context, purchaseId: string, state: 'duplicate_voided' | 'refund_refused') => sql`
  update duplicate_labels set state = ${state}, settled_at = ${ctx.clock.now()}
  where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId}`;
