export { claimRequest, type ClaimedRequest, type KeyedRequest } from './claim-request.ts';
export { keepReply, type KeptReply } from './kept-reply.ts';
export { pruneRequests } from './prune-requests.ts';
export { idempotencySealedColumns } from './sealed-columns.ts';
export { releaseRequest } from './release-request.ts';
