export { acceptPaymentEvent } from './accept-payment-event.ts';
export { type Applied, applyAnswer } from './apply-answer.ts';
export { type Answer, answerOfSession, askProvider } from './ask-provider.ts';
export { checkPaymentAccount } from './check-payment-account.ts';
export { checkSession } from './check-session.ts';
export { checkWebhookEndpoint, type EndpointCheck, type EndpointFault } from './check-webhook-endpoint.ts';
export { confirmSecretRotation } from './confirm-secret-rotation.ts';
export { type ComparedStore, type DriftedOrder, readDrift } from './drift-reports.ts';
export { endOrder } from './end-order.ts';
export { findPaymentCustomer } from './find-payment-customer.ts';
export { finishSecretRotation } from './finish-secret-rotation.ts';
export type { EventGap } from './event-gaps.ts';
export { lookThroughGap } from './look-through-gap.ts';
export { PaymentAccountView, presentPaymentAccount, readPaymentAccount } from './managed-account.ts';
export { ManageInput, manageSubscription, reactivateSubscription, SubscriptionAction } from './manage-subscription.ts';
export { issueRefund } from './issue-refund.ts';
export { isOurs } from './is-ours.ts';
export { BillingPortalInput, openBillingPortal } from './open-billing-portal.ts';
export { notConfigured, openAccount, publishableKeyOf } from './open-account.ts';
export { PaymentAccountEntity, PaymentAccountInput, sessionLifetime } from './payment-account.ts';
export {
  closeSoon, insertSession, markOpened, markOver, markSuperseded, type NewPaymentSession, type PaymentSession,
  type PaymentSessionState, readSession,
} from './payment-session.ts';
export { patienceEnds } from './patience.ts';
export { type Payment, payOrder } from './pay-order.ts';
export { paymentPersonalData } from './personal-data.ts';
export { pruneEvents } from './prune-events.ts';
export { asked, refusalOf, tooSmall, unavailable } from './provider-refusals.ts';
export {
  presentRefund, readRefund, type Refund, refundsOf, type RefundState, refundStates, RefundView,
} from './refund.ts';
export { reconcilePaymentEvent } from './reconcile-payment-event.ts';
export { type RegisteredEndpoint, registerWebhookEndpoint } from './register-webhook-endpoint.ts';
export { type Replayed, replayPayments } from './replay-payments.ts';
export type { ReplayWhat } from './replay-targets.ts';
export { removeDiscount } from './remove-discount.ts';
export { type Drift, reportDrift, reportStoreDrift } from './report-drift.ts';
export { type MadeEndpoint, replaceWebhookEndpoint } from './replace-webhook-endpoint.ts';
export { leftToRefund, RefundInput, type RefundRequest, requestRefund } from './request-refund.ts';
export { replaceWebhookSecret, savePaymentAccount } from './save-payment-account.ts';
export { paymentSealedColumns } from './sealed-columns.ts';
export { type SellingTerms, sellingTerms } from './selling-terms.ts';
export { startSecretRotation } from './start-secret-rotation.ts';
export { isBeingSubscribed, type Subscribing } from './subscribing.ts';
export { sweepEvents, sweepStoreEvents } from './sweep-events.ts';
export { sweepSessions } from './sweep-sessions.ts';
export { type Trouble, troubleOf } from './trouble.ts';
export { liveWebhookSecrets } from './webhook-secrets.ts';
