/** The types that are counted by name; all others are counted together, so that nobody can make the roll-ups grow. */
export const coreTypes = [
  'page_viewed',
  'product_viewed',
  'search_performed',
  'cart_item_added',
  'cart_item_removed',
  'checkout_started',
  'checkout_returned',
  'lead_captured',
  'client_purchase',
  'order_paid',
] as const;

/** A sale as the store's own books have it. Nobody else can say so. */
export const paidType = 'order_paid';

/** What a page says of a sale is kept under a name of its own, and is never revenue. */
export const claimedType = 'client_purchase';

/** The steps of the funnel in their order, and the type of event that takes each. */
export const funnelSteps = [
  { step: 'viewed', type: 'product_viewed' },
  { step: 'cart', type: 'cart_item_added' },
  { step: 'checkout', type: 'checkout_started' },
  { step: 'paid', type: paidType },
] as const;
