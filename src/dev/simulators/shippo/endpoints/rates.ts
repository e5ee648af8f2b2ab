import { type Endpoint, ok } from '../endpoint.ts';
import { notFound } from '../refusal.ts';

export const rateEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/rates/:id',
    handle({ account, params }) {
      const rate = account.rates.get(params.id ?? '');
      if (!rate) throw notFound();
      return ok(rate);
    },
  },
];
