import { type Endpoint, ok } from '../endpoint.ts';
import { pageOf } from '../paging.ts';
import { services } from '../rating/services.ts';
import { notFound } from '../refusal.ts';
import type { CarrierAccount } from '../wire.ts';

export const carrierAccountEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/carrier_accounts',
    handle({ account, address }) {
      const carrier = address.searchParams.get('carrier');
      const accountId = address.searchParams.get('account_id');
      const detailed = address.searchParams.get('service_levels') === 'true';
      const found = account.carriers.filter(
        (one) => (carrier === null || one.carrier === carrier) && (accountId === null || one.account_id === accountId),
      );
      return ok(pageOf(detailed ? found.map(withServiceLevels) : found, address, 5));
    },
  },
  {
    method: 'get',
    path: '/carrier_accounts/:id',
    handle({ account, params }) {
      const found = account.carriers.find((one) => one.object_id === params.id);
      if (!found) throw notFound();
      return ok(found);
    },
  },
];

function withServiceLevels(carrierAccount: CarrierAccount): object {
  const offered = services.filter(({ carrier }) => carrier === carrierAccount.carrier);
  return {
    ...carrierAccount,
    service_levels: offered.map(({ name, token }) => ({ name, token, supports_return_labels: false })),
  };
}
