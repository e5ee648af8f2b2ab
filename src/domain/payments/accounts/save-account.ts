import { lockNames } from '#src/database/lock-names.ts';
import { readOne } from '#src/database/transact.ts';
import { assignChanges } from '#src/lib/assign-changes.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, parseDuration } from '#src/lib/duration.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change } from '../../change.ts';
import { validateKey } from '../../check-key-mode.ts';
import { type Credentials, type CredentialsChange, openCredential, replacedBy } from '../../confirmations/index.ts';
import type { Context, InTransaction } from '../../context.ts';
import { PaymentAccountEntity, type PaymentAccountInput, sealedFields, sessionLifetime } from './payment-account.ts';

/** Which stored credentials a change of the store's account at the payment provider replaces or removes. */
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
 * Only `direct` mode has the store's own keys.
 * @throws DomainError `invalid_request` with the field: a key in connect mode, or one of the wrong kind
 */
function validatePaymentKeys(ctx: Context, input: PaymentAccountInput): void {
  validateKey(ctx, 'secret_key', input.secret_key, 'stripe_secret');
  validateKey(ctx, 'publishable_key', input.publishable_key, 'stripe_publishable');
  validateKey(ctx, 'webhook_secret', input.webhook_secret, 'stripe_webhook');
  if (input.mode === 'direct') return;
  for (const field of ['secret_key', 'publishable_key'] as const) {
    if (!input[field]) continue;
    throw invalidRequest('A store in connect mode has no keys of its own.', {
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

/** Mode and account id count as credentials once a key or an account id is stored: both say where the money goes. */
async function storedCredentials(ctx: Context): Promise<Credentials> {
  const stored = await readOne<StoredCredentials>(
    ctx,
    sql`
    select mode, account_id as "accountId", publishable_key as "publishableKey",
      secret_key_sealed as "secretKeySealed", (
      select secret_sealed from payment_webhook_secrets
      where tenant_id = ${ctx.tenant.id} and state = 'current') as "webhookSecretSealed"
    from payment_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!stored) return {};
  const { secretKeySealed, webhookSecretSealed, publishableKey: publishable_key } = stored;
  return {
    ...((secretKeySealed || stored.accountId) && { mode: stored.mode, account_id: stored.accountId }),
    secret_key: openCredential(ctx, sealedFields.secretKey, secretKeySealed),
    publishable_key,
    webhook_secret: openCredential(ctx, sealedFields.webhookSecret, webhookSecretSealed),
  };
}

/** The credentials after `savePaymentAccount`: a secret that is left out stays. */
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

/** How long the provider may still sign with a secret that was replaced. */
const retiringMs = hours(24);

/**
 * Save the store's account at the payment provider. After a new signing secret the old one is accepted for another day,
 * for deliveries that are under way.
 *
 * @param options `retainKey`: in direct mode a secret key that is left out stays; otherwise it is removed
 * @throws DomainError `invalid_request` for a key of the wrong kind, or a session lifetime out of bounds
 */
export async function savePaymentAccount(
  ctx: InTransaction,
  input: PaymentAccountInput,
  { retainKey = false }: { retainKey?: boolean } = {},
): Promise<Change> {
  validatePaymentKeys(ctx, input);
  const { em } = ctx.tx;
  const tenantId = ctx.tenant.id;
  const now = ctx.clock.now();
  const wanted = {
    mode: input.mode,
    accountId: input.account_id ?? null,
    publishableKey: input.publishable_key ?? null,
    sessionLifetimeMs: lifetimeOf(ctx, input),
    automaticTax: input.automatic_tax,
  };
  const secretKeySealed = input.secret_key
    ? ctx.keyring.seal(tenantId, sealedFields.secretKey, input.secret_key)
    : null;
  await lockNames(ctx, 'provider', ['payments']);
  const found = await em.findOne(PaymentAccountEntity, { tenantId });
  if (!found) {
    em.create(PaymentAccountEntity, {
      ...wanted,
      tenantId,
      secretKeySealed,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    await saveWebhookSecret(ctx, input.webhook_secret ?? null);
    return { subject: 'payments', action: 'created', fields: [] };
  }

  const values = assignChanges(found, wanted);
  const fields = Object.keys(values);
  const retainsKey = retainKey && input.mode === 'direct' && input.secret_key === undefined;
  if (!retainsKey && !ctx.keyring.matches(tenantId, sealedFields.secretKey, found.secretKeySealed, input.secret_key)) {
    found.secretKeySealed = secretKeySealed;
    fields.push('secret_key');
  }
  if (await saveWebhookSecret(ctx, input.webhook_secret ?? null)) fields.push('webhook_secret');
  if (fields.length === 0) return { subject: 'payments', action: 'unchanged', fields };
  found.updatedAt = now;
  return { subject: 'payments', action: 'updated', fields, values };
}

/**
 * Without a secret the stored one stays, which a rotation or the command line may have made.
 * @returns whether it changed
 */
async function saveWebhookSecret(ctx: InTransaction, secret: string | null): Promise<boolean> {
  if (!secret) return false;
  const tenantId = ctx.tenant.id;
  const [current] = await ctx.tx.execute<{ sealed: string }>(sql`
    select secret_sealed as sealed from payment_webhook_secrets
    where tenant_id = ${tenantId} and state = 'current' for update`);
  if (ctx.keyring.matches(tenantId, sealedFields.webhookSecret, current?.sealed, secret)) return false;
  await replaceWebhookSecret(ctx, { secret, endpointId: null });
  return true;
}

/** Accept signatures with this secret from now on, and with the one before for another day. */
export async function replaceWebhookSecret(
  ctx: InTransaction,
  { secret, endpointId }: { secret: string; endpointId: string | null },
): Promise<void> {
  const tenantId = ctx.tenant.id;
  await lockNames(ctx, 'provider', ['payments']);
  await ctx.tx.execute(sql`
    update payment_webhook_secrets set state = 'retiring', retires_at = ${fromNow(ctx.clock, retiringMs)}
    where tenant_id = ${tenantId} and state = 'current'`);
  await ctx.tx.execute(sql`
    insert into payment_webhook_secrets (tenant_id, id, secret_sealed, provider_endpoint_id, state, created_at)
    values (${tenantId}, ${newId('pay')}, ${ctx.keyring.seal(tenantId, sealedFields.webhookSecret, secret)},
      ${endpointId}, 'current', ${ctx.clock.now()})`);
}

function lifetimeOf(ctx: InTransaction, { session_lifetime: lifetime }: PaymentAccountInput): number {
  if (!lifetime) return sessionLifetime.defaultMs;
  const lifetimeMs = parseDuration(lifetime) ?? 0;
  const minMs = ctx.settings.localMode ? sessionLifetime.localMinMs : sessionLifetime.minMs;
  if (lifetimeMs < minMs || lifetimeMs > sessionLifetime.maxMs) {
    throw invalidRequest('payments.session_lifetime must be from 35m to 23h.');
  }
  return lifetimeMs;
}
