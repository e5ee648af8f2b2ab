export { addLine } from './add-line.ts';
export { createCart, readCart } from './cart.ts';
export { CartInput, CartLineInput, CartLinePatch } from './cart-input.ts';
export { changeLine, removeLine } from './change-line.ts';
export { type ConvertedCart, markBought } from './mark-bought.ts';
export { cartPersonalData } from './personal-data.ts';
export { CartView, presentCart } from './present.ts';
export {
  isBuyable,
  presentSavedCart,
  presentSavedCartReceipt,
  SavedCartReceipt,
  SavedCartView,
} from './present-saved-cart.ts';
export { draftSavedCart, type SavedCart, SavedCartInput, saveCart, saveTokenHashes } from './save-cart.ts';
export { readSavedCart, restoreCart, type SavedCartRecord, savedCartGone } from './saved-cart.ts';
export { isUnsubscribed, type MailPreference, readMailPreference, unsubscribe } from './unsubscribe.ts';
