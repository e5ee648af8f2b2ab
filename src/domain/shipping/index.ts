export { acknowledgeDuplicate } from './acknowledge-duplicate.ts';
export { enqueueLabelRefund } from './call-label-off.ts';
export { checkPurchases } from './check-purchases.ts';
export { type AccountCheck, checkShippingAccount, classifyCheck } from './check-shipping-account.ts';
export { chooseRate } from './choose-rate.ts';
export { secondShippingCredentials, shippingCredentials } from './credentials.ts';
export { editAddress, ShippingAddressInput } from './edit-address.ts';
export { processNotification } from './follow-hint.ts';
export { isFromShippingProvider } from './judge-sender.ts';
export { Label, labelStates } from './label.ts';
export { isReasonCode, labelReasonCodes, reasons } from './label-reasons.ts';
export {
  presentSecondShippingAccount,
  presentShippingAccount,
  readSecondShippingAccount,
  readShippingAccount,
  SecondShippingAccountView,
  ShippingAccountView,
} from './managed-accounts.ts';
export { markFulfilled } from './mark-fulfilled.ts';
export { resumeLabels } from './pause-labels.ts';
export { shippingPersonalData } from './personal-data.ts';
export { LabelView, presentRate, RateQuote, RateView } from './present.ts';
export { purchaseLabel } from './purchase-label.ts';
export { quoteOrder } from './quote-order.ts';
export { quoteRates, RateRequest } from './quote-rates.ts';
export { failLabel } from './raise-label.ts';
export {
  type DuplicateLabel,
  labelsNeedingAttention,
  listLabels,
  readLabel,
  readLabelOfOrder,
  readLabels,
  type WaitingLabel,
  waitingLabel,
} from './read-labels.ts';
export { receiveNotification, ShippingNotification } from './receive-hint.ts';
export { reconcileTracking } from './reconcile-tracking.ts';
export { refundDuplicate } from './refund-duplicate.ts';
export { requestLabel } from './request-label.ts';
export { pruneNotifications } from './retention.ts';
export { requestLabelAgain, retryLabel } from './retry-label.ts';
export { saveSecondShippingAccount, saveShippingAccount } from './save-shipping-account.ts';
export { shippingSealedColumns } from './sealed-columns.ts';
export {
  SecondShippingAccountEntity,
  SecondShippingAccountInput,
  ShippingAccountChange,
  ShippingAccountEntity,
  ShippingAccountInput,
} from './shipping-account.ts';
export { type ShippingOptions, shippingOptions, shippingOptionsOf } from './shipping-options.ts';
export { pollTrackings } from './poll-trackings.ts';
export { sweepLabels } from './sweep-labels.ts';
export { Tracking } from './tracking.ts';
export { voidLabel } from './void-label.ts';
export { failLabelRefund, refundUnusedLabel } from './withdraw-label.ts';
