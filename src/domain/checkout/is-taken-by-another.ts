/** The unique indexes that let a caller have one live session, and a request one order. */
const indexes = ['payment_sessions_live', 'payment_sessions_by_request'];

/** Another session of the same address would begin a subscription to the same thing. */
export class SubscriptionInProgress extends Error {
  override readonly name = 'BeingSubscribed';
}

/** Whether a checkout failed because the same caller's other request was first. */
export function isConcurrentCheckout(error: unknown): boolean {
  if (error instanceof SubscriptionInProgress) return true;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('constraint' in cause && typeof cause.constraint === 'string' && indexes.includes(cause.constraint))
      return true;
  }
  return false;
}
