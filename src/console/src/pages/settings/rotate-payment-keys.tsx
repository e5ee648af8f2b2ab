import type { PaymentAccount } from '@storefront-commerce/client';
import { PasswordInput, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';

interface Input {
  readonly secret_key: string;
  readonly webhook_secret: string;
}

/** Replaces the keys of the payment provider, which requires a second factor. */
export function RotatePaymentKeys({ account }: { readonly account: PaymentAccount }) {
  const { provider, mode, account_id, publishable_key, session_lifetime, automatic_tax } = account;
  return (
    <Action<Input>
      label="Replace the keys"
      title="Replace the keys of the payment provider"
      scope="admin:write"
      run={({ secret_key, webhook_secret }) =>
        admin.savePaymentProvider({
          ...{ provider, mode, account_id, publishable_key, session_lifetime, automatic_tax },
          ...{ secret_key, webhook_secret },
        })
      }
      done="The keys are replaced."
    >
      <PasswordInput source="secret_key" label="Secret key" validate={required()} />
      <PasswordInput source="webhook_secret" label="Signing secret of the webhook" validate={required()} />
    </Action>
  );
}
