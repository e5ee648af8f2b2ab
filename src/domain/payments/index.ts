export { checkPaymentAccount } from './accounts/check-account.ts';
export { isTaxPending, rejectPendingTax, taxIsPending } from './accounts/check-tax.ts';
export {
  deadlineAt,
  liveWebhookSecrets,
  openAccount,
  PaymentAccountEntity,
  PaymentAccountInput,
  paymentSealedColumns,
  publishableKeyOf,
} from './accounts/payment-account.ts';
export {
  PaymentAccountView,
  presentPaymentAccount,
  readPaymentAccount,
} from './accounts/read-account.ts';
export { paymentCredentials, savePaymentAccount } from './accounts/save-account.ts';
export { type ComparedStore, type DriftedOrder, readDrift } from './drift/drift-reports.ts';
export { reportDrift, reportStoreDrift } from './drift/report-drift.ts';
export { confirmSecretRotation, finishSecretRotation, startSecretRotation } from './endpoint/secret-rotation.ts';
export { checkWebhookEndpoint, type EndpointFault, registerWebhookEndpoint } from './endpoint/webhook-endpoint.ts';
export { acceptPaymentEvent } from './events/accept-payment-event.ts';
export { type EventGap, scanEventGap } from './events/event-gaps.ts';
export { reconcilePaymentEvent } from './events/reconcile-payment-event.ts';
export { type Replayed, replayPayments } from './events/replay-payments.ts';
export type { ReplayWhat } from './events/replay-targets.ts';
export { sweepEvents, sweepStoreEvents } from './events/sweep-events.ts';
export { checkReactivation, ManageInput, manageSubscription, reactivateSubscription } from './manage-subscription.ts';
export { closeRefunded, endOrder, refundToGiftCard } from './orders.ts';
export { BillingPortalInput, findPaymentCustomer, openBillingPortal } from './payment-customer.ts';
export { paymentPersonalData } from './personal-data.ts';
export {
  amountTooLarge,
  amountTooSmall,
  paymentErrorOf,
  providerFailureOf,
  providerUnavailable,
} from './provider-calls.ts';
export { issueRefund } from './refunds/issue-refund.ts';
export { presentRefund, type Refund, RefundView, refundsOf } from './refunds/refund.ts';
export {
  leftToRefund,
  RefundInput,
  refundedForReturn,
  rejectUnpaidHere,
  requestRefund,
} from './refunds/request-refund.ts';
export { checkSession, endSession, removeDiscount, sweepSessions } from './sessions/check-session.ts';
export {
  checkLater,
  closeSoon,
  insertSession,
  markOpened,
  markSuperseded,
  type PaymentSession,
  readSession,
  requestMs,
} from './sessions/payment-session.ts';
export { isBeingSubscribed, type SellingTerms, type Subscribing, sellingTerms } from './sessions/selling-terms.ts';
export { isRenewal } from './snapshots/apply-invoice.ts';
export { applySnapshot } from './snapshots/apply-snapshot.ts';
export { type Snapshot, snapshotOfSession } from './snapshots/fetch-snapshot.ts';
