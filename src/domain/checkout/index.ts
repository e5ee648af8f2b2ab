export { CheckoutInput } from './checkout-input.ts';
export { CheckoutSessionView, createCheckoutSession } from './create-checkout-session.ts';
export { createGiftCheckout, GiftCheckoutInput } from './create-gift-checkout.ts';
export { CheckoutStatusView, readCheckoutStatus } from './read-checkout-status.ts';
export { repairSession } from './repair-session.ts';
