export {
  type ClaimedRequest,
  claimRequest,
  type IdempotentRequest,
  idempotencySealedColumns,
  releaseRequest,
  replyRetainedMs,
  type StoredReply,
  storeReply,
} from './idempotent-requests.ts';
