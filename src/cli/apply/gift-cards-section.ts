import { GiftCardInput, normaliseGiftCardCode, saveGiftCard } from '#src/domain/promotions/index.ts';
import { many } from './section.ts';

/** Gift cards by their codes. They are never pruned: they have been paid for. */
export const giftCardsSection = many({
  name: 'gift_cards',
  kind: 'gift_card',
  schema: GiftCardInput,
  keyOf: ({ code }) => normaliseGiftCardCode(code),
  keyField: 'code',
  save: ({ ctx, options }, card) => saveGiftCard(ctx, card, { setBalance: options.setStock }),
});
