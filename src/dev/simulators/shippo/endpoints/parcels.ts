import { created, type Endpoint, newestFirst, ok } from '../endpoint.ts';
import { pageOf } from '../paging.ts';
import { createParcel } from '../parcels.ts';
import { notFound } from '../refusal.ts';

export const parcelEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/parcels',
    handle: ({ world, account, body }) => created(createParcel(world, account, body)),
  },
  {
    method: 'get',
    path: '/parcels',
    handle: ({ account, address }) => ok(pageOf(newestFirst(account.parcels), address)),
  },
  {
    method: 'get',
    path: '/parcels/:id',
    handle({ account, params }) {
      const parcel = account.parcels.get(params.id ?? '');
      if (!parcel) throw notFound();
      return ok(parcel);
    },
  },
];
