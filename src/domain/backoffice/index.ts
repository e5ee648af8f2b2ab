export { dismissAttention, nextStep, type OrderNeedingAttention, ordersNeedingAttention } from './attention.ts';
export { type AttentionReason, adviceFor } from './attention-by-reason.ts';
export { correctEmail } from './correct-email.ts';
export { moderateReview } from './moderate-review.ts';
export { describeOpenLabels, describeOpenPayments, type OpenBusiness, readOpenBusiness } from './open-business.ts';
export { ManagedOrderView, OrderFileView, presentManagedOrder } from './present.ts';
export { type Operations, type QueueState, readOperations } from './read-operations.ts';
export { readOrderFile } from './read-order-file.ts';
export { OverviewView, readOverview } from './read-overview.ts';
export {
  countedRowsMax,
  countStoreRows,
  obstaclesOf,
  readStoredElsewhere,
  removeStore,
  removeStores,
  type StoredElsewhere,
} from './remove-store.ts';
export { resendReceipt } from './resend-receipt.ts';
export { prune } from './retention.ts';
