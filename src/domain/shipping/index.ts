export { cancelShipment } from './cancel-shipment.ts';
export { checkPurchases, sweepLabels } from './check-purchases.ts';
export { correctTracking } from './correct-tracking.ts';
export {
  type AccountCheck,
  checkSecondShippingAccount,
  checkShippingAccount,
  classifyCheck,
  secondShippingCredentials,
  shippingCredentials,
} from './credentials.ts';
export { addressFrom, editAddress, ShippingAddressInput } from './edit-address.ts';
export { failLabel } from './flag-label.ts';
export { Label, labelStates } from './label.ts';
export { linkToLabelFile } from './label-file.ts';
export { isReasonCode, type Remedy, reasonCodes, reasons } from './label-reasons.ts';
export { markFulfilled } from './mark-fulfilled.ts';
export {
  isFromShippingProvider,
  processNotification,
  receiveNotification,
  ShippingNotification,
} from './notifications.ts';
export { chooseRate, quoteOrder } from './order-rates.ts';
export { endedByRefund } from './parcel-attention.ts';
export { resumeLabels } from './pause-labels.ts';
export { shippingPersonalData } from './personal-data.ts';
export { LabelView, presentRate, RateQuote, RateView } from './present.ts';
export { purchaseLabel } from './purchase-label.ts';
export { quoteRates, RateRequest } from './quote-rates.ts';
export {
  type DuplicateLabel,
  type LabelsForOperators,
  labelsForOperators,
  listLabels,
  readLabel,
  readLabelOfOrder,
  readLabels,
  type WaitingLabel,
  waitingLabel,
} from './read-labels.ts';
export {
  presentSecondShippingAccount,
  presentShippingAccount,
  readSecondShippingAccount,
  readShippingAccount,
  SecondShippingAccountView,
  ShippingAccountView,
} from './read-shipping-account.ts';
export { pollTrackings, reconcileTracking } from './reconcile-tracking.ts';
export { type RecoveredPurchase, recoverPurchases } from './recover-purchases.ts';
export { requestLabel } from './request-label.ts';
export { requestLabelAgain, retryLabel } from './retry-label.ts';
export { saveSecondShippingAccount, saveShippingAccount } from './save-shipping-account.ts';
export { shippingSealedColumns } from './sealed-columns.ts';
export {
  issuesOfShipping,
  SecondShippingAccountEntity,
  SecondShippingAccountInput,
  ShippingAccountChange,
  ShippingAccountEntity,
  ShippingAccountInput,
  type ShippingOptions,
  shippingOptionsOf,
} from './shipping-account.ts';
export { Tracking } from './tracking.ts';
export { acknowledgeDuplicate, refundDuplicate } from './unused-labels.ts';
export { enqueueLabelRefund, enqueueLabelVoid, failLabelRefund, refundUnusedLabel, voidLabel } from './void-label.ts';
