import { admin } from '../../admin.ts';
import { SecretAction } from '../../lib/secret-action.tsx';

/** Replaces the endpoint at the payment provider, and so the secret that its webhooks are signed with. */
export function RotateWebhookSecret() {
  return (
    <SecretAction<object, { secret: string }>
      label="Rotate the webhook's secret"
      scope="admin:write"
      text="A new endpoint replaces the one at the provider. Its secret is stored here, and shown once."
      run={async (_, options) => {
        const { rotation_id } = await admin.startSecretRotation(options);
        return admin.confirmSecretRotation(rotation_id, {});
      }}
      done="Secret rotated."
      secretTitle="New webhook secret"
      secretOf={({ secret }) => secret}
    />
  );
}
