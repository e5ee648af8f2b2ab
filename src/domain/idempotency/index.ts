export {
  type ClaimedRequest,
  claimRequest,
  type IdempotentRequest,
  idempotencySealedColumns,
  pruneRequests,
  releaseRequest,
  type StoredReply,
  storeReply,
} from './idempotent-requests.ts';
