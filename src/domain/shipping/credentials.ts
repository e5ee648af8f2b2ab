import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { validateKey } from '../check-key-mode.ts';
import { type Credentials, type CredentialsChange, replacedBy } from '../confirmations/index.ts';
import type { Context } from '../context.ts';
import { openSecondAccount } from './open-account.ts';
import type { SealedField, SecondShippingAccountInput, ShippingAccountChange } from './shipping-account.ts';

/** What a change of the store's account at the parcel provider replaces of what opens it, or proves its calls. */
export const shippingCredentials = (input: ShippingAccountChange): CredentialsChange => ({
  name: 'shipping',
  title: 'Shippo',
  async replaced(ctx) {
    validateShippingKeys(ctx, input);
    const onFile = await readCredentials(ctx);
    return replacedBy(onFile, {
      api_key: input.api_key ?? onFile['api_key'] ?? null,
      webhook_token: input.webhook_token === undefined ? (onFile['webhook_token'] ?? null) : input.webhook_token,
      webhook_secret: input.webhook_secret === undefined ? (onFile['webhook_secret'] ?? null) : input.webhook_secret,
    });
  },
});

/** The same of the account at the second provider. */
export const secondShippingCredentials = (input: SecondShippingAccountInput): CredentialsChange => ({
  name: 'second-shipping',
  title: 'EasyPost',
  async replaced(ctx) {
    validateSecondShippingKey(ctx, input);
    const account = await openSecondAccount(ctx);
    return replacedBy({ api_key: account?.apiKey ?? null }, { api_key: input.api_key });
  },
});

/** @throws DomainError `invalid_request` that names the field */
export function validateShippingKeys(ctx: Context, input: ShippingAccountChange): void {
  validateKey(ctx, 'api_key', input.api_key, 'shippo');
  validateKey(ctx, 'webhook_token', input.webhook_token);
  validateKey(ctx, 'webhook_secret', input.webhook_secret);
}

/** @throws DomainError `invalid_request` that names the field */
export function validateSecondShippingKey(ctx: Context, { api_key }: SecondShippingAccountInput): void {
  validateKey(ctx, 'api_key', api_key, 'easypost');
}

async function readCredentials(ctx: Context): Promise<Credentials> {
  const stored = await readOne<Record<'apiKey' | 'token' | 'secret', string | null>>(
    ctx,
    sql`
    select api_key_sealed as "apiKey", webhook_token_sealed as token, webhook_secret_sealed as secret
    from shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!stored) return {};
  const open = (field: SealedField, sealed: string | null) => sealed && ctx.keyring.open(ctx.tenant.id, field, sealed);
  return {
    api_key: open('shipping_api_key', stored.apiKey),
    webhook_token: open('shipping_webhook_token', stored.token),
    webhook_secret: open('shipping_webhook_secret', stored.secret),
  };
}
