export { GiftCard, GiftCardInput } from './gift-card.ts';
export {
  holdGiftCard,
  leftToReturn,
  redeemGiftCard,
  rejectGiftCard,
  releaseGiftCard,
  returnGiftCard,
} from './gift-card-balance.ts';
export { listGiftCards, listPromos, promoCodes, readGiftCard, readPromo } from './managed-promotions.ts';
export type { Holder } from './own-holds.ts';
export { promotionPersonalData } from './personal-data.ts';
export { GiftCardQuoteView, PromoQuoteView, presentGiftCardQuote, presentPromoQuote } from './present.ts';
export { GiftCardView, PromoCodeView, presentGiftCard, presentPromo } from './present-managed.ts';
export { normalisePromoCode, PromoCode, PromoCodeInput, PromoTermsInput } from './promo-code.ts';
export { holdPromo, redeemPromo, rejectPromo, releasePromo } from './promo-usage.ts';
export { type GiftCardQuote, quoteGiftCard } from './quote-gift-card.ts';
export { type PromoQuote, quotePromo } from './quote-promo.ts';
export { createGiftCard, disableGiftCard, saveGiftCard } from './save-gift-card.ts';
export { removePromoCode, savePromoCode } from './save-promo-code.ts';
