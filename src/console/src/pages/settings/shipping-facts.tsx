import type { ShippingAccount } from '@storefront-commerce/client';

import { labelCurrencyOf } from '../../../../lib/currency.ts';
import { Facts } from '../../lib/facts.tsx';
import { formatCountry, formatMoney, isolate } from '../../lib/format.ts';
import { useCurrency } from '../../session/session.ts';

/** The terms of shipping, for those who do not change them. */
export function ShippingFacts({ account }: { readonly account: ShippingAccount }) {
  const currency = useCurrency();
  const { provider, carriers, origin, label_cost_cap_cents: cap, countries, options } = account;
  return (
    <Facts
      of={[
        ['Provider', provider],
        ['Carriers', carriers.join(', ') || 'All carriers of the account'],
        ['Sent from', [origin.name, origin.street1, origin.city, formatCountry(origin.country)].join(', ')],
        ['Countries', countries.map(formatCountry).join(', ')],
        [
          'Options',
          options.map(({ name, amount_cents }) => `${isolate(name)} ${formatMoney(amount_cents, currency)}`).join(', '),
        ],
        [
          'Price limit of labels',
          cap === null ? 'No limit' : formatMoney(cap, labelCurrencyOf(origin.country, currency)),
        ],
      ]}
    />
  );
}
