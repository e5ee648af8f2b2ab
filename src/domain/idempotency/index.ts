export {
  type ClaimedRequest,
  claimRequest,
  type IdempotentRequest,
  idempotencyKeyReused,
  idempotencySealedColumns,
  releaseRequest,
  renewWhile,
  replyRetainedMs,
  type StoredReply,
  storeReply,
} from './idempotent-requests.ts';
