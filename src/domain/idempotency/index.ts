export { claimRequest } from './claim-request.ts';
export type { ClaimedRequest, IdempotentRequest } from './keyed-request.ts';
export { releaseRequest } from './release-request.ts';
export { pruneRequests } from './retention.ts';
export { idempotencySealedColumns } from './sealed-columns.ts';
export { type StoredReply, storeReply } from './stored-reply.ts';
