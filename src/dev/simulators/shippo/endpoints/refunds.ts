import { created, type Endpoint, newestFirst, ok } from '../endpoint.ts';
import { pageOf } from '../paging.ts';
import { requestRefund } from '../refunds.ts';
import { notFound } from '../refusal.ts';

export const refundEndpoints: Endpoint[] = [
  { method: 'post', path: '/refunds', handle: (call) => created(requestRefund(call)) },
  {
    method: 'get',
    path: '/refunds',
    handle: ({ account, address }) => ok(pageOf(newestFirst(account.refunds), address)),
  },
  {
    method: 'get',
    path: '/refunds/:id',
    handle({ account, params }) {
      const refund = account.refunds.get(params.id ?? '');
      if (!refund) throw notFound();
      return ok(refund);
    },
  },
];
