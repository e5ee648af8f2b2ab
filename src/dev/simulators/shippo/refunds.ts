import { notify } from './deliveries.ts';
import type { Call } from './endpoint.ts';
import { badRequest } from './refusal.ts';
import { RefundRequest, read } from './requests.ts';
import type { Refund, RefundStatus, Transaction, TransactionStatus } from './wire.ts';
import { type Account, type SimulatorState, stored } from './world.ts';

const resolveDelayMs = 25;

/** What becomes of a label when its refund is decided. */
const labelAfter: Record<RefundStatus, TransactionStatus> = {
  QUEUED: 'REFUNDPENDING',
  PENDING: 'REFUNDPENDING',
  SUCCESS: 'REFUNDED',
  ERROR: 'REFUNDREJECTED',
};

/** Ask for a label's price back. Only labels that the carrier has not yet seen are worth anything. */
export function requestRefund({ world, account, body, fault }: Call): Refund {
  const request = read(RefundRequest, body);
  const transaction = account.transactions.get(request.transaction);
  if (!transaction) throw badRequest({ transaction: ['Transaction with supplied object_id not found.'] });
  if (transaction.status !== 'SUCCESS') {
    throw badRequest({
      transaction: ['Only successful transactions that are not yet refunded can be refunded.'],
    });
  }
  const refund: Refund = {
    ...stored(world, account),
    transaction: transaction.object_id,
    status: request.async === false ? 'PENDING' : 'QUEUED',
  };
  account.refunds.set(refund.object_id, refund);
  transaction.status = 'REFUNDPENDING';

  const verdict = unused(transaction) ? 'SUCCESS' : 'ERROR';
  const settle = () => resolveRefund(world, account, refund, verdict);
  if (fault?.kind === 'queued') return refund;
  if (request.async === false) settle();
  else world.pending.later(resolveDelayMs, settle);
  return refund;
}

/** Decide a refund, and its label with it. */
export function resolveRefund(world: SimulatorState, account: Account, refund: Refund, status: RefundStatus): void {
  const now = world.now().toISOString();
  refund.status = status;
  refund.object_updated = now;
  const transaction = account.transactions.get(refund.transaction);
  if (!transaction) return;
  transaction.status = labelAfter[status];
  transaction.object_updated = now;
  notify(world, account, 'transaction_updated', transaction);
}

function unused(transaction: Transaction): boolean {
  return transaction.tracking_status === 'UNKNOWN' || transaction.tracking_status === 'PRE_TRANSIT';
}
