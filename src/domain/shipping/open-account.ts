import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { ShippingAccount } from '../ports/shipping-gateway.ts';
import type { Box, Origin, ShippingOption } from './shipping-account.ts';

/** A store's shipping settings with the account's key decrypted, for one use. */
export interface OpenedAccount {
  readonly id: string;
  readonly account: ShippingAccount;
  readonly carriers: readonly string[];
  readonly origin: Origin;
  readonly parcel: Box;
  readonly labelCostCapCents: number | null;
  readonly countries: readonly string[];
  readonly options: readonly ShippingOption[];
  readonly pausedAt: Date | null;
}

interface AccountRow extends Omit<OpenedAccount, 'account'> {
  readonly apiKeySealed: string;
}

/** `undefined` where the store has no shipping account. */
export async function openAccount(ctx: Context): Promise<OpenedAccount | undefined> {
  const row = await readOne<AccountRow>(
    ctx,
    sql`
    select id, api_key_sealed as "apiKeySealed", carriers, origin, parcel, label_cost_cap_cents as "labelCostCapCents",
      countries, options, paused_at as "pausedAt"
    from shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!row) return undefined;
  const { apiKeySealed, ...settings } = row;
  const apiKey = ctx.keyring.open(ctx.tenant.id, 'shipping_api_key', apiKeySealed);
  return { ...settings, account: { tenantId: ctx.tenant.id, apiKey } };
}

/** The account at the second provider, which is only checked. */
export async function openSecondAccount(ctx: Context): Promise<ShippingAccount | undefined> {
  const row = await readOne<{ apiKeySealed: string }>(
    ctx,
    sql`
    select api_key_sealed as "apiKeySealed" from second_shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  if (!row) return undefined;
  return {
    tenantId: ctx.tenant.id,
    apiKey: ctx.keyring.open(ctx.tenant.id, 'second_shipping_api_key', row.apiKeySealed),
  };
}
