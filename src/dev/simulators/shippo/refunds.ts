import { type Call, created, type Endpoint } from './endpoint.ts';
import { badRequest } from './error.ts';
import type { Refund, RefundStatus, Transaction, TransactionStatus } from './objects.ts';
import { RefundRequest, read } from './requests.ts';
import { type Account, type SimulatorState, stored } from './state.ts';
import { notify } from './webhooks.ts';

const resolveDelayMs = 25;

/** The status of a label for each status of its refund. */
const labelAfter: Record<RefundStatus, TransactionStatus> = {
  QUEUED: 'REFUNDPENDING',
  PENDING: 'REFUNDPENDING',
  SUCCESS: 'REFUNDED',
  ERROR: 'REFUNDREJECTED',
};

/** Request the refund of a label. Only labels that the carrier has not yet seen are refunded. */
function requestRefund({ simulator, account, body, fault }: Call): Refund {
  const request = read(RefundRequest, body);
  const transaction = account.transactions.get(request.transaction);
  if (!transaction) throw badRequest({ transaction: ['Transaction with supplied object_id not found.'] });
  if (transaction.status !== 'SUCCESS') {
    throw badRequest({
      transaction: ['Only successful transactions that are not yet refunded can be refunded.'],
    });
  }
  const refund: Refund = {
    ...stored(simulator, account),
    transaction: transaction.object_id,
    status: request.async === false ? 'PENDING' : 'QUEUED',
  };
  account.refunds.set(refund.object_id, refund);
  transaction.status = 'REFUNDPENDING';

  const outcome = unused(transaction) ? 'SUCCESS' : 'ERROR';
  const resolve = () => resolveRefund(simulator, account, refund, outcome);
  if (fault?.kind === 'queued') return refund;
  if (request.async === false) resolve();
  else simulator.pending.later(resolveDelayMs, resolve);
  return refund;
}

/** Set the outcome of a refund, and the status of its label. */
export function resolveRefund(simulator: SimulatorState, account: Account, refund: Refund, status: RefundStatus): void {
  const now = simulator.now().toISOString();
  refund.status = status;
  refund.object_updated = now;
  const transaction = account.transactions.get(refund.transaction);
  if (!transaction) return;
  transaction.status = labelAfter[status];
  transaction.object_updated = now;
  notify(simulator, account, 'transaction_updated', transaction);
}

function unused(transaction: Transaction): boolean {
  return transaction.tracking_status === 'UNKNOWN' || transaction.tracking_status === 'PRE_TRANSIT';
}

export const refundEndpoints: Endpoint[] = [
  { method: 'post', path: '/refunds', handle: (call) => created(requestRefund(call)) },
];
