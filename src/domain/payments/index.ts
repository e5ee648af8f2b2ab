export { acceptPaymentEvent } from './accept-payment-event.ts';
export { applySnapshot } from './apply-answer.ts';
export { type Snapshot, snapshotOfSession } from './ask-provider.ts';
export { checkPaymentAccount } from './check-payment-account.ts';
export { checkSession } from './check-session.ts';
export { checkWebhookEndpoint, type EndpointFault } from './check-webhook-endpoint.ts';
export { confirmSecretRotation } from './confirm-secret-rotation.ts';
export { paymentCredentials } from './credentials.ts';
export { type ComparedStore, type DriftedOrder, readDrift } from './drift-reports.ts';
export { endOrder } from './end-order.ts';
export { endSession } from './end-session.ts';
export type { EventGap } from './event-gaps.ts';
export { findPaymentCustomer } from './find-payment-customer.ts';
export { finishSecretRotation } from './finish-secret-rotation.ts';
export { issueRefund } from './issue-refund.ts';
export { scanEventGap } from './look-through-gap.ts';
export { ManageInput, manageSubscription, reactivateSubscription } from './manage-subscription.ts';
export { PaymentAccountView, presentPaymentAccount, readPaymentAccount } from './managed-account.ts';
export { openAccount, publishableKeyOf } from './open-account.ts';
export { BillingPortalInput, openBillingPortal } from './open-billing-portal.ts';
export { deadlineAt } from './patience.ts';
export { PaymentAccountEntity, PaymentAccountInput } from './payment-account.ts';
export {
  closeSoon,
  insertSession,
  markOpened,
  markSuperseded,
  type PaymentSession,
  readSession,
} from './payment-session.ts';
export { paymentPersonalData } from './personal-data.ts';
export { amountTooSmall, paymentErrorOf, providerUnavailable } from './provider-refusals.ts';
export { reconcilePaymentEvent } from './reconcile-payment-event.ts';
export { presentRefund, type Refund, RefundView, refundsOf } from './refund.ts';
export { registerWebhookEndpoint } from './register-webhook-endpoint.ts';
export { removeDiscount } from './remove-discount.ts';
export { type Replayed, replayPayments } from './replay-payments.ts';
export type { ReplayWhat } from './replay-targets.ts';
export { reportDrift, reportStoreDrift } from './report-drift.ts';
export { leftToRefund, RefundInput, requestRefund } from './request-refund.ts';
export { pruneEvents } from './retention.ts';
export { replaceWebhookSecret, savePaymentAccount } from './save-payment-account.ts';
export { paymentSealedColumns } from './sealed-columns.ts';
export { type SellingTerms, sellingTerms } from './selling-terms.ts';
export { startSecretRotation } from './start-secret-rotation.ts';
export { isBeingSubscribed, type Subscribing } from './subscribing.ts';
export { sweepEvents, sweepStoreEvents } from './sweep-events.ts';
export { sweepSessions } from './sweep-sessions.ts';
export { providerFailureOf } from './trouble.ts';
export { liveWebhookSecrets } from './webhook-secrets.ts';
