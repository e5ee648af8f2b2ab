export { addLine } from './add-line.ts';
export { CartInput, CartLineInput, CartLinePatch } from './cart-input.ts';
export { changeLine } from './change-line.ts';
export { createCart } from './create-cart.ts';
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
export { readCart } from './read-cart.ts';
export { readSavedCart, type SavedCartRecord } from './read-saved-cart.ts';
export { removeLine } from './remove-line.ts';
export { restoreCart, savedCartGone } from './restore-cart.ts';
export { pruneCarts } from './retention.ts';
export { draftSavedCart, type SavedCart, saveCart } from './save-cart.ts';
export { SavedCartInput } from './saved-cart-input.ts';
export { saveTokenHashes } from './tokens.ts';
export { type MailPreference, readMailPreference, unknownToken, unsubscribe } from './unsubscribe.ts';
