import Box from '@mui/material/Box';
import type { Result } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatMoney, formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { useSession } from '../../session/session.ts';
import { CheckProvider } from './check-provider.tsx';
import { RotatePaymentKeys } from './rotate-payment-keys.tsx';

type Providers = Result<'admin.getProviders'>['providers'];

/** The accounts with which the store takes money and sends parcels. */
export function ProvidersPanel() {
  return (
    <Loaded queryKey={['providers']} load={(signal) => admin.getProviders({ signal })}>
      {({ providers: { payments, shipping, second_shipping: second } }) => (
        <>
          {payments && <Payments account={payments} />}
          {shipping && <Shipping account={shipping} />}
          {second && (
            <Panel title="Second parcel provider" actions={<CheckProvider kind="second-shipping" />}>
              <Facts of={[['Provider', second.provider]]} />
            </Panel>
          )}
        </>
      )}
    </Loaded>
  );
}

function Payments({ account }: { readonly account: NonNullable<Providers['payments']> }) {
  const { provider, mode, account_id, publishable_key, has_secret_key, has_webhook_secret, webhook_url } = account;
  return (
    <Panel title="Payments" actions={<CheckProvider kind="payments" />}>
      <Facts
        of={[
          ['Provider', `${provider}, ${mode}`],
          ['Account', account_id],
          ['Publishable key', publishable_key],
          ['Secret key', has_secret_key ? 'Stored' : 'Missing'],
          ['Webhook secret', has_webhook_secret ? 'Stored' : 'Missing'],
          ['Webhook URL', webhook_url],
          ['No webhooks since', account.webhooks_silent_since && formatTime(account.webhooks_silent_since)],
          ['Tax', account.automatic_tax ? 'Calculated by the provider' : 'Not calculated'],
        ]}
      />
      <Box sx={{ mt: 2 }}>
        <RotatePaymentKeys account={account} />
      </Box>
    </Panel>
  );
}

function Shipping({ account }: { readonly account: NonNullable<Providers['shipping']> }) {
  const currency = useSession()?.store.currency ?? 'USD';
  const { provider, carriers, origin, label_cost_cap_cents: cap, countries, options } = account;
  return (
    <Panel title="Shipping" actions={<CheckProvider kind="shipping" />}>
      <Facts
        of={[
          ['Provider', provider],
          ['Carriers', carriers.join(', ') || 'All of the account'],
          ['Sent from', [origin.name, origin.street1, origin.city, origin.country].join(', ')],
          ['Countries', countries.join(', ')],
          [
            'Options',
            options.map(({ name, amount_cents }) => `${name} ${formatMoney(amount_cents, currency)}`).join(', '),
          ],
          ['Most for a label', cap === null ? 'No limit' : formatMoney(cap, currency)],
          ['Labels paused since', account.labels_paused_since && formatTime(account.labels_paused_since)],
        ]}
      />
    </Panel>
  );
}
