export { claimRequest } from './claim-request.ts';
export { storeReply, type StoredReply } from './kept-reply.ts';
export type { ClaimedRequest, IdempotentRequest } from './keyed-request.ts';
export { pruneRequests } from './retention.ts';
export { idempotencySealedColumns } from './sealed-columns.ts';
export { releaseRequest } from './release-request.ts';
