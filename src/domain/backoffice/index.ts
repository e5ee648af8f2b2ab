export { dismissAttention } from './dismiss-attention.ts';
export { moderateReview } from './judge-review.ts';
export { nextStep } from './next-step.ts';
export { type OrderNeedingAttention, ordersNeedingAttention } from './orders-needing-attention.ts';
export { ManagedOrderView, OrderFileView, presentManagedOrder } from './present.ts';
export { pruneOutbox } from './prune-outbox.ts';
export { type Attention, type Operations, type QueueState, readOperations } from './read-operations.ts';
export { readOrderFile } from './read-order-file.ts';
