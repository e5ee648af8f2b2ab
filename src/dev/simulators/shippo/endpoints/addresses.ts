import { createAddress, validationOf } from '../addresses.ts';
import { created, type Endpoint, newestFirst, ok } from '../endpoint.ts';
import { pageOf } from '../paging.ts';
import { notFound } from '../refusal.ts';

export const addressEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/addresses',
    handle: ({ world, account, body }) => created(createAddress(world, account, body)),
  },
  {
    method: 'get',
    path: '/addresses',
    handle: ({ account, address }) => ok(pageOf(newestFirst(account.addresses), address, 5)),
  },
  {
    method: 'get',
    path: '/addresses/:id',
    handle({ account, params }) {
      const found = account.addresses.get(params.id ?? '');
      if (!found) throw notFound();
      return ok(found);
    },
  },
  {
    method: 'get',
    path: '/addresses/:id/validate',
    handle({ account, params }) {
      const found = account.addresses.get(params.id ?? '');
      if (!found) throw notFound();
      found.validation_results = validationOf(found);
      return ok(found);
    },
  },
];
