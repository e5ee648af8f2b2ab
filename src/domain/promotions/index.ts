export { createGiftCard } from './create-gift-card.ts';
export { disableGiftCard } from './disable-gift-card.ts';
export { GiftCard } from './gift-card.ts';
export { GiftCardInput } from './gift-card-input.ts';
export {
  type GiftCardAmount, type GiftCardReason, giftCardReasons, holdGiftCard, refuseGiftCard, releaseGiftCard,
} from './hold-gift-card.ts';
export { holdPromo, type PromoUse, refusePromo } from './hold-promo.ts';
export { type Basket, type Judgement, judgePromo, type PromoReason, promoReasons, type PromoTerms } from './judge-promo.ts';
export {
  listGiftCards, listPromos, type ManagedGiftCard, type ManagedPromo, readGiftCard, readPromo,
} from './managed-promotions.ts';
export { promotionPersonalData } from './personal-data.ts';
export { GiftCardView, presentGiftCard, presentPromo, PromoCodeView } from './present-managed.ts';
export { GiftCardQuoteView, presentGiftCardQuote, presentPromoQuote, PromoQuoteView } from './present.ts';
export { type DiscountType, normalisePromoCode, PromoCode } from './promo-code.ts';
export { PromoCodeInput, PromoTermsInput } from './promo-code-input.ts';
export { promoCodes } from './promo-codes.ts';
export { type GiftCardQuote, quoteGiftCard } from './quote-gift-card.ts';
export { type PromoQuote, quotePromo } from './quote-promo.ts';
export { type GiftCardRedemption, redeemGiftCard } from './redeem-gift-card.ts';
export { type PromoRedemption, redeemPromo } from './redeem-promo.ts';
export { releasePromo } from './release-promo.ts';
export { removePromoCode } from './remove-promo-code.ts';
export { leftToReturn, returnGiftCard } from './return-gift-card.ts';
export { issueGiftCard, saveGiftCard } from './save-gift-card.ts';
export { savePromoCode } from './save-promo-code.ts';
