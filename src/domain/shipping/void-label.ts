import { transact } from '#src/database/transact.ts';
import { DomainError, notFound, ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { lockOrder } from '../orders/index.ts';
import { type HeldLabel, holdToRefund, releaseHeldLabel, recordVoided } from './give-back.ts';
import { isFinal } from './is-final.ts';
import { lockLabel, orderOfLabel } from './label-lease.ts';
import { openAccount } from './open-account.ts';
import { inProgress, rejectIfOpen } from './retry-label.ts';

/**
 * Give a label back: its price is asked back where it was bought, and its order is without one again. Once it was asked
 * for it is brought to its end, also when the provider is away or this process dies.
 *
 * @throws DomainError `not_found`, a conflict where its outcome is open or the parcel has moved, or
 *   `shipping_provider_unavailable`: then it is tried again by itself, and asking again is harmless
 */
export async function voidLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const held = await holdForVoid(ctx, labelId);
  await refund(ctx, held);
  await recordVoided(ctx, held);
}

async function holdForVoid(ctx: Context, labelId: string): Promise<HeldLabel> {
  const orderId = await orderOfLabel(ctx, labelId);
  if (!orderId) throw notFound('label');
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || !label) throw notFound('label');
    rejectIfOpen(label);
    if (label.isHeldByAnother(ctx.clock.now())) throw inProgress();
    const mayVoid = ['purchased', 'needs_attention', 'queued', 'rate_chosen'].includes(label.state);
    if (!mayVoid || order.shippedAt) throw notVoidable('This label cannot be voided any more.');
    return holdToRefund(ctx, label);
  });
}

async function refund(ctx: Context, held: HeldLabel): Promise<void> {
  if (!held.purchaseId) return;
  try {
    const opened = await openAccount(ctx);
    if (!opened) throw new ProviderError('shippo', 'denied', 'The store has no account any more.');
    await ctx.ports.shipping.refundPurchase(opened.account, held.purchaseId, { signal: ctx.signal });
  } catch (error) {
    const isRejected = isFinal(error);
    await transact(ctx, (ctx) => releaseHeldLabel(ctx, held, { isOver: isRejected }));
    if (isRejected) throw notVoidable('The parcel provider does not take this label back any more.');
    if (error instanceof ProviderError) throw noResponse(error);
    throw error;
  }
}

const notVoidable = (sentence: string) => new DomainError('conflict', 'label_not_voidable', sentence);

const noResponse = (cause: ProviderError) =>
  new DomainError(
    'upstream_failed',
    'shipping_provider_unavailable',
    'The parcel provider does not answer at the moment. The label is given back as soon as it does.',
    { cause },
  );
