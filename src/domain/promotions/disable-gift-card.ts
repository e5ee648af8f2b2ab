import { notFound } from '#src/lib/errors.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { GiftCard } from './gift-card.ts';

/**
 * Nobody can pay with this card any more. Checkouts that hold some of it keep that.
 * @throws DomainError not_found
 */
export async function disableGiftCard(ctx: InTransaction, { giftCardId }: { giftCardId: string }): Promise<Change> {
  const card = await ctx.tx.em.findOne(GiftCard, { tenantId: ctx.tenant.id, id: giftCardId });
  if (!card) throw notFound('gift card');
  const subject = `gift card …${card.last4}`;
  if (card.disabledAt) return { subject, action: 'unchanged', fields: [] };
  card.disabledAt = ctx.clock.now();
  card.updatedAt = ctx.clock.now();
  await ctx.tx.em.flush();
  return { subject, action: 'updated', fields: ['disabled_at'] };
}
