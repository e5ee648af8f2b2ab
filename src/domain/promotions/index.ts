export { calculateDiscount, type Discount } from './check-promo.ts';
export {
  GiftCard,
  type GiftCardCodeFault,
  GiftCardInput,
  giftCardCodeFault,
  hashedCode,
  normaliseGiftCardCode,
} from './gift-card.ts';
export {
  holdGiftCard,
  issuedCents,
  leftToReturn,
  redeemGiftCard,
  rejectGiftCard,
  releaseGiftCard,
  returnedToGiftCard,
  returnGiftCard,
} from './gift-card-balance.ts';
export {
  GiftCardView,
  listGiftCards,
  listPromos,
  PromoCodeView,
  presentGiftCard,
  presentPromo,
  promoCodes,
  readGiftCard,
  readPromo,
} from './managed-promotions.ts';
export { promotionPersonalData } from './personal-data.ts';
export { GiftCardQuoteView, PromoQuoteView, presentGiftCardQuote, presentPromoQuote } from './present.ts';
export { normalisePromoCode, PromoCode, PromoCodeInput, PromoTermsInput } from './promo-code.ts';
export { holdPromo, redeemPromo, rejectPromo, releasePromo } from './promo-usage.ts';
export { type GiftCardQuote, type Holder, type PromoQuote, quoteGiftCard, quotePromo } from './quotes.ts';
export { addIssuedGiftCards, createGiftCard, disableGiftCard, saveGiftCard } from './save-gift-card.ts';
export { removePromoCode, savePromoCode, savePromoCodes } from './save-promo-code.ts';
