import { transact } from '#src/database/transact.ts';
import type { Cents } from '#src/lib/money.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { type ManagedGiftCard, readGiftCard } from './managed-promotions.ts';
import { presentGiftCard } from './present-managed.ts';
import { issueGiftCard } from './save-gift-card.ts';

/** Make a gift card for the store's owner, and tell its code: it is not stored, so this is the only time. */
export async function createGiftCard(
  ctx: Context,
  { balanceCents }: { balanceCents: Cents },
): Promise<{ card: ManagedGiftCard; code: string }> {
  return transact(ctx, async (ctx) => {
    const { giftCardId, code } = await issueGiftCard(ctx, { balanceCents });
    const card = await readGiftCard(ctx, giftCardId);
    if (!card) throw new TypeError('A gift card that was made is not there.');
    await recordAudit(ctx, {
      action: 'gift_card.created',
      subjectKind: 'gift_card',
      subjectId: giftCardId,
      after: presentGiftCard(card),
    });
    return { card, code };
  });
}
