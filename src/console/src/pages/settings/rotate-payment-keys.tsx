import { ApiError, type PaymentAccount } from '@storefront-commerce/client';
import { useState } from 'react';
import { PasswordInput, required, TextInput } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';

interface Input {
  readonly secret_key: string;
  readonly webhook_secret: string;
  readonly code?: string;
}

/** Replaces the keys of the payment provider. Where the API wants a code for it, that is emailed to the owner. */
export function RotatePaymentKeys({ account }: { readonly account: PaymentAccount }) {
  const [confirmationId, setConfirmationId] = useState<string>();
  const { provider, mode, account_id, publishable_key, session_lifetime, automatic_tax } = account;
  const bodyOf = ({ secret_key, webhook_secret }: Input) => ({
    ...{ provider, mode, account_id, publishable_key, session_lifetime, automatic_tax },
    ...{ secret_key, webhook_secret },
  });
  const run = async (input: Input) => {
    const confirmation = confirmationId && input.code ? { id: confirmationId, code: input.code } : undefined;
    try {
      return await admin.savePaymentProvider({ ...bodyOf(input), ...(confirmation && { confirmation }) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'confirmation_required') throw error;
      const { confirmation_id } = await admin.requestPaymentConfirmation(bodyOf(input));
      setConfirmationId(confirmation_id);
      throw error;
    }
  };
  return (
    <Action<Input>
      label="Replace the keys"
      title="Replace the keys of the payment provider"
      scope="admin:write"
      run={run}
      done="The keys are replaced."
    >
      <PasswordInput source="secret_key" label="Secret key" validate={required()} />
      <PasswordInput source="webhook_secret" label="Signing secret of the webhook" validate={required()} />
      {confirmationId && <TextInput source="code" label="Code from the email" validate={required()} />}
    </Action>
  );
}
