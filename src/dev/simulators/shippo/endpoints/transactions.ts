import { created, type Endpoint, newestFirst, ok } from '../endpoint.ts';
import { buyLabel } from '../labels.ts';
import { chosen, pageOf } from '../paging.ts';
import { notFound } from '../refusal.ts';
import { trackingStatuses, transactionStatuses } from '../wire.ts';

export const transactionEndpoints: Endpoint[] = [
  { method: 'post', path: '/transactions', handle: (call) => created(buyLabel(call)) },
  {
    method: 'get',
    path: '/transactions',
    handle({ account, address }) {
      const rate = address.searchParams.get('rate');
      const status = chosen(address, 'object_status', transactionStatuses);
      const trackingStatus = chosen(address, 'tracking_status', trackingStatuses);
      const found = newestFirst(account.transactions).filter(
        (transaction) =>
          (rate === null || transaction.rate === rate) &&
          (status === undefined || transaction.status === status) &&
          (trackingStatus === undefined || transaction.tracking_status === trackingStatus),
      );
      return ok(pageOf(found, address));
    },
  },
  {
    method: 'get',
    path: '/transactions/:id',
    handle({ account, params }) {
      const transaction = account.transactions.get(params.id ?? '');
      if (!transaction) throw notFound();
      return ok(transaction);
    },
  },
];
