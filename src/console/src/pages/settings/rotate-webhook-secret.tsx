import { useState } from 'react';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { SecretDialog } from '../../lib/secret-dialog.tsx';

/** Replaces the endpoint at the payment provider, and so the secret that its webhooks are signed with. */
export function RotateWebhookSecret() {
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Action<object, { secret: string }>
        label="Rotate the webhook's secret"
        scope="admin:write"
        text="A new endpoint replaces the one at the provider. Its secret is stored here, and shown once."
        run={async (_, options) => {
          const { rotation_id } = await admin.startSecretRotation(options);
          return admin.confirmSecretRotation(rotation_id, {});
        }}
        onDone={({ secret }) => setSecret(secret)}
        done="Secret rotated."
      />
      {secret && <SecretDialog title="New webhook secret" value={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}
