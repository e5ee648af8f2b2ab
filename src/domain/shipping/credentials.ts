import { readOne } from '#src/database/transact.ts';
import { DomainError, ProviderError, type ProviderFailure } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { validateKey, wrongModeOf } from '../check-key-mode.ts';
import { type Credentials, type CredentialsChange, openCredential, replacedBy } from '../confirmations/index.ts';
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
    const stored = await readOne<{ apiKey: string }>(
      ctx,
      sql`
      select api_key_sealed as "apiKey" from second_shipping_accounts where tenant_id = ${ctx.tenant.id}`,
    );
    const onFile = openField(ctx, 'second_shipping_api_key', stored?.apiKey ?? null);
    return replacedBy({ api_key: onFile }, { api_key: input.api_key });
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
  return {
    api_key: openField(ctx, 'shipping_api_key', stored.apiKey),
    webhook_token: openField(ctx, 'shipping_webhook_token', stored.token),
    webhook_secret: openField(ctx, 'shipping_webhook_secret', stored.secret),
  };
}

const openField = (ctx: Context, field: SealedField, sealed: string | null) => openCredential(ctx, field, sealed);

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
export async function checkShippingAccount(ctx: Context): Promise<AccountCheck> {
  const opened = await openAccount(ctx);
  if (!opened) throw notConfigured();
  const wrongMode = wrongModeOf(ctx, opened.account.apiKey);
  if (wrongMode) return { ok: false, detail: wrongMode };
  const check = await classifyCheck(ctx.ports.shipping.checkAccount(opened.account, { signal: ctx.signal }));
  if (check.ok) await resumeIfPaused(ctx, opened);
  return check;
}

/**
 * Check at the second provider whether the stored credentials work.
 * @throws DomainError `not_found` when none are stored
 */
export async function checkSecondShippingAccount(ctx: Context): Promise<AccountCheck> {
  const account = await openSecondAccount(ctx);
  if (!account) throw notConfigured();
  return classifyCheck(ctx.ports.secondShipping.checkAccount(account, { signal: ctx.signal }));
}

const notConfigured = () => new DomainError('not_found', 'not_found', 'No such account is configured.');

/** Turn the outcome of a provider's check into a result. */
export async function classifyCheck(check: Promise<unknown>): Promise<AccountCheck> {
  try {
    await check;
    return { ok: true, detail: 'The provider accepts the key.' };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ok: false, detail: checkFailures[error.failure] };
  }
}

const checkFailures: Readonly<Record<ProviderFailure, string>> = {
  denied: 'The provider does not accept the key.',
  missing: 'The provider does not know the account.',
  busy: 'The provider has had too many requests. Check again in a minute.',
  refused: 'The provider rejects the request.',
  away: 'The provider did not respond.',
};
