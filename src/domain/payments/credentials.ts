import { readOne } from '#src/database/transact.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { validateKey } from '../check-key-mode.ts';
import { type Credentials, type CredentialsChange, replacedBy } from '../confirmations/index.ts';
import type { Context } from '../context.ts';
import { type PaymentAccountInput, sealedFields } from './payment-account.ts';

/** What a change of the store's account at the payment provider replaces of what opens it, or closes it. */
export const paymentCredentials = (input: PaymentAccountInput): CredentialsChange => ({
  name: 'payments',
  title: 'Stripe',
  async replaced(ctx) {
    validatePaymentKeys(ctx, input);
    const onFile = await storedCredentials(ctx);
    return replacedBy(onFile, wantedCredentials(onFile, input));
  },
});

/**
 * Only `direct` mode has keys of the store's own.
 * @throws DomainError `invalid_request` that names the field: a key in connect mode, or one that cannot work here
 */
export function validatePaymentKeys(ctx: Context, input: PaymentAccountInput): void {
  validateKey(ctx, 'secret_key', input.secret_key, 'stripe_secret');
  validateKey(ctx, 'publishable_key', input.publishable_key, 'stripe_publishable');
  validateKey(ctx, 'webhook_secret', input.webhook_secret, 'stripe_webhook');
  if (input.mode === 'direct') return;
  for (const field of ['secret_key', 'publishable_key'] as const) {
    if (!input[field]) continue;
    throw invalidRequest('A store in connect mode has no keys of its own on file.', {
      path: `/${field}`,
      code: 'connect_mode',
      detail: 'must be left out in connect mode',
    });
  }
}

interface StoredCredentials {
  readonly mode: string;
  readonly accountId: string | null;
  readonly publishableKey: string | null;
  readonly secretKeySealed: string | null;
  readonly webhookSecretSealed: string | null;
}

/** Mode and account are the way to the money only while there is a key. */
async function storedCredentials(ctx: Context): Promise<Credentials> {
  const stored = await readOne<StoredCredentials>(
    ctx,
    sql`
    select mode, account_id as "accountId", publishable_key as "publishableKey", secret_key_sealed as "secretKeySealed", (
      select secret_sealed from payment_webhook_secrets
      where tenant_id = ${ctx.tenant.id} and state = 'current') as "webhookSecretSealed"
    from payment_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!stored) return {};
  const { secretKeySealed, webhookSecretSealed, publishableKey: publishable_key } = stored;
  const open = (field: string, sealed: string | null) => sealed && ctx.keyring.open(ctx.tenant.id, field, sealed);
  return {
    ...(secretKeySealed && { mode: stored.mode, account_id: stored.accountId }),
    secret_key: open(sealedFields.secretKey, secretKeySealed),
    publishable_key,
    webhook_secret: open(sealedFields.webhookSecret, webhookSecretSealed),
  };
}

/** As `savePaymentAccount` leaves them: a secret that is left out stays. */
function wantedCredentials(onFile: Credentials, input: PaymentAccountInput): Credentials {
  const { mode, account_id, secret_key = onFile['secret_key'], publishable_key, webhook_secret } = input;
  return {
    mode,
    account_id: account_id ?? null,
    secret_key: mode === 'direct' ? (secret_key ?? null) : null,
    publishable_key: publishable_key ?? null,
    webhook_secret: webhook_secret ?? onFile['webhook_secret'] ?? null,
  };
}
