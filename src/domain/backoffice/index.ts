export { dismissAttention, nextStep, type OrderNeedingAttention, ordersNeedingAttention } from './attention.ts';
export { moderateReview } from './moderate-review.ts';
export { ManagedOrderView, OrderFileView, presentManagedOrder } from './present.ts';
export { type Attention, type Operations, type QueueState, readOperations } from './read-operations.ts';
export { readOrderFile } from './read-order-file.ts';
export { prune } from './retention.ts';
