export { claimRequest } from './claim-request.ts';
export { keepReply, type KeptReply } from './kept-reply.ts';
export type { ClaimedRequest, KeyedRequest } from './keyed-request.ts';
export { pruneRequests } from './retention.ts';
export { idempotencySealedColumns } from './sealed-columns.ts';
export { releaseRequest } from './release-request.ts';
