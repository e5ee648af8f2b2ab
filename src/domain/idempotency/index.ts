export {
  type ClaimedRequest,
  claimRequest,
  type IdempotentRequest,
  idempotencySealedColumns,
  releaseRequest,
  renewWhile,
  replyRetainedMs,
  type StoredReply,
  storeReply,
} from './idempotent-requests.ts';
