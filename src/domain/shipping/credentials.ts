import { readOne } from '#src/database/transact.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { validateKey, wrongModeOf } from '../check-key-mode.ts';
import { type Credentials, type CredentialsChange, replacedBy } from '../confirmations/index.ts';
import type { Context } from '../context.ts';
import { resumeIfPaused } from './pause-labels.ts';
import {
  openAccount,
  openSecondAccount,
  type SealedField,
  type SecondShippingAccountInput,
  type ShippingAccountChange,
} from './shipping-account.ts';

/** Which secrets a change of the shipping account replaces: its API key, its webhook token or its webhook secret. */
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

/** The same for the account at the second provider. */
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

/** The result of checking an account. `detail` is a message for the store's owner. */
export interface AccountCheck {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Check at the provider whether the stored credentials work. If they do, labels that were paused because they did not
 * are resumed.
 * @throws DomainError `not_found` when none are stored
 */
export async function checkShippingAccount(ctx: Context, kind: 'shipping' | 'second-shipping'): Promise<AccountCheck> {
  const opened = kind === 'shipping' ? await openAccount(ctx) : undefined;
  const account = opened?.account ?? (kind === 'second-shipping' ? await openSecondAccount(ctx) : undefined);
  if (!account) throw new DomainError('not_found', 'not_found', 'No such account is configured.');
  const provider = kind === 'shipping' ? ctx.ports.shipping : ctx.ports.secondShipping;
  const wrongKind = opened && wrongModeOf(ctx, account.apiKey);
  if (wrongKind) return { ok: false, detail: wrongKind };
  const check = await classifyCheck(provider.checkAccount(account, { signal: ctx.signal }));
  if (check.ok && opened) await resumeIfPaused(ctx, opened);
  return check;
}

/** Turn the outcome of a provider's check into a result. */
export async function classifyCheck(check: Promise<void>): Promise<AccountCheck> {
  try {
    await check;
    return { ok: true, detail: 'The provider accepts the key.' };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const detail =
      error.failure === 'denied' ? 'The provider does not accept the key.' : 'The provider did not respond.';
    return { ok: false, detail };
  }
}
