export { CheckoutInput } from './checkout-input.ts';
export { createCheckoutSession } from './create-checkout-session.ts';
export { createGiftCheckout, GiftCheckoutInput } from './create-gift-checkout.ts';
export { CheckoutSessionView, CheckoutStatusView } from './present.ts';
export { readCheckoutStatus } from './read-checkout-status.ts';
export { repairSession } from './repair-session.ts';
